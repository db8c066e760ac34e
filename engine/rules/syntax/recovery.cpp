// Builder: recovery between items. Text that is not an item is reported once, then repaired so that
// it can be parsed, or skipped. After an abandoned item, parsing continues at the next one.
#include <algorithm>
#include <array>

#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "syntax/builder.hpp"
#include "syntax/words.hpp"

namespace kr::syntax {
namespace {

constexpr size_t longest_keyword = 16;
constexpr std::string_view rules_belong =
    "put rules into the block of a dimension: `substage { … }`";

}  // namespace

void Builder::repair(Repair what, size_t at) {
  repair_ = what;
  repair_at_ = at;
}

size_t Builder::misspelled_size(size_t at, std::string_view keyword) const {
  return is_repaired(Repair::keyword, at) && repair_keyword_ == keyword ? repair_size_ : 0;
}

bool Builder::at_keyword(size_t at) const {
  const Token token = look_.token(at);
  return is_word(token) && is_keyword(look_.text(token));
}

bool Builder::may_be_name(size_t at) const {
  size_t end = at;
  while (is_word_byte(look_.byte(end))) ++end;
  if (!is_keyword(look_.slice(at, end))) return true;
  return !look_.first_on_line(at);
}

/// A string that begins a line after a label without title and colour is an error: nothing says
/// which of the two it is.
bool Builder::may_be_title(size_t at) {
  if (text_[std::min(at, text_.size() - 1)] != '"' || !look_.first_on_line(at)) return true;
  const Token token = look_.token(at);
  if (!is_first_report(at)) return false;
  const std::string label = entry_.label.text;
  sink_
      .add(diag::code::ambiguous_title, range(token), excerpt(look_.text(token), 40),
           excerpt(label, 40))
      .related(entry_.label.span, "the label before it")
      .help(
          "if it is the title, write it on the line of `{0}`; if it is a label, give `{0}` a title "
          "first: `{0} \"…\"`",
          excerpt(label, 40));
  return false;
}

bool Builder::may_be_label(size_t at) const {
  if (is_repaired(Repair::label, at)) return true;
  // Of a quote without a partner, see `stray_quote`.
  const Token token = look_.token(at);
  const char after = look_.byte(token.end);
  const bool half = is_word(token) ? after == '"' : is_word_byte(after);
  return !at_keyword(at) && !(half && odd_quotes(is_word(token) ? token.end : token.begin));
}

bool Builder::is_block(const Token& token) const {
  if (!is_word(token)) return false;
  const Token next = look_.next(token);
  if (look_.text(next) != "over" && look_.text(next) != "from")
    return look_.byte(next.begin) == '{';
  return look_.byte(look_.next(look_.next(next)).begin) == '{';
}

/// Whether the token begins an item that can only be outside the current block.
bool Builder::begins_outer(const Token& token) const {
  if (!is_word(token)) return false;
  const std::string_view word = look_.text(token);
  const Token next = look_.next(token);
  if (look_.byte(next.begin) == ':') return false;
  if (is_metadata_keyword(word) && next.kind != TokenKind::string) return false;
  if (word == "requires" && look_.text(next) != "kr") return false;
  if (is_file_keyword(word) && !is_own_keyword(word)) return level() != Level::file;
  if (level() == Level::model) return word == "model";
  const bool innermost = level() == Level::rules || level() == Level::costs;
  return innermost && (is_body_keyword(word) || is_block(token));
}

/// `cost` begins an item of a file as well as one of an engine.
bool Builder::is_own_keyword(std::string_view word) const {
  return is_body_keyword(word) && (level() == Level::engine || level() == Level::model);
}

bool Builder::begins_rule(const Token& token) const {
  return (is_word(token) || token.kind == TokenKind::string) &&
         look_.byte(look_.next(token).begin) == ':';
}

/// An outer declaration that is not indented deeper than the block: the block was not closed.
bool Builder::ends_block(const Token& token) const {
  return !braces_.empty() && begins_outer(token) && look_.first_on_line(token.begin) &&
         indent_of(token.begin) <= braces_.back().indent;
}

bool Builder::begins_item(const Token& token) const {
  if (level() == Level::rules && begins_rule(token)) return true;
  if (!look_.first_on_line(token.begin)) return false;
  const std::string_view word = look_.text(token);
  const bool string = token.kind == TokenKind::string;
  switch (level()) {
    case Level::rules:
      return is_rules_keyword(word);
    case Level::engine:
    case Level::model:
      return is_body_keyword(word) || is_file_keyword(word) || is_block(token);
    case Level::labels:
      return is_word(token) || string;
    case Level::test:
      return string || text_[token.begin] == '@' || word == "phase" || word == "op";
    case Level::costs:
      return string || text_[token.begin] == '(' || word == "include";
    case Level::file:
      return is_file_keyword(word) || is_body_keyword(word);
  }
  return false;
}

/// Whether an item begins here, no matter how many braces were skipped before.
bool Builder::begins_regardless(const Token& token) const {
  if (!is_word(token) || !look_.first_on_line(token.begin)) return false;
  if (level() != Level::file) return ends_block(token);
  return is_file_keyword(look_.text(token)) && indent_of(token.begin) == 0;
}

size_t Builder::next_item(size_t at) const {
  size_t depth = 0;
  for (Token token = look_.token(at);; token = look_.next(token)) {
    if (token.kind == TokenKind::end) return token.begin;
    const char c = text_[token.begin];
    if (c == '{' && token.kind == TokenKind::other) {
      ++depth;
    } else if (c == '}' && token.kind == TokenKind::other) {
      if (depth == 0) return token.begin;
      --depth;
    } else if ((depth == 0 && begins_item(token)) || begins_regardless(token)) {
      return token.begin;
    }
  }
}

/// The offset after the braced block that begins on the line of `at`.
size_t Builder::past_block(size_t at) const {
  size_t depth = 0;
  for (Token token = look_.token(at);; token = look_.next(token)) {
    if (token.kind == TokenKind::end) return token.begin;
    const char c = token.kind == TokenKind::other ? text_[token.begin] : '\0';
    if (depth == 0 && token.begin > at && look_.first_on_line(token.begin)) return token.begin;
    if (c == '{') ++depth;
    if (c == '}' && depth == 0) return token.begin;
    if (c == '}' && --depth == 0) return token.end;
  }
}

size_t Builder::recover(size_t at, size_t depth) {
  braces_.resize(std::min(braces_.size(), depth), Brace{Level::file, {}, 0});
  const size_t end = look_.before_blanks(at);
  if (pending_ == Pending::rule) {
    expr_ = exprs_.finish();
    push_rule(range(rule_.span.begin, std::max<size_t>(end, rule_.span.end)));
  } else if (pending_ == Pending::pattern) {
    expr_ = exprs_.finish();
    on(For<g::pattern>(), range(pattern_.span.begin, std::max<size_t>(end, pattern_.span.end)));
  }
  if (in_refine() && braces_.size() < refine_depth_) {
    end_refine(range(end, end));
    push_rule(range(rule_.span.begin, std::max<size_t>(end, rule_.span.end)));
  }
  pending_ = Pending::none;
  expr_ = {};
  case_ = {};
  cases_.clear();
  if (level() == Level::file) in_engine_ = false;
  if (level() != Level::model && level() != Level::rules) in_model_ = false;
  const size_t next = next_item(at);
  skipped(line_begin(at), next);
  return next;
}

void Builder::skipped(size_t begin, size_t end) {
  if (end > begin) file_.skipped.push_back(range(begin, end));
}

/// In an engine `test { … }` is a test, and not the block of a dimension.
bool Builder::may_be_block(size_t at) const {
  size_t end = at;
  while (is_word_byte(look_.byte(end))) ++end;
  const std::string_view word = look_.slice(at, end);
  return !is_file_keyword(word) || is_body_keyword(word) || !is_keyword(word);
}

std::string_view Builder::items() const {
  constexpr std::array<std::string_view, 7> by_level{
      "a declaration",           "a block of rules, a model or `}`",
      "a block of rules or `}`", "a rule or `}`",
      "a label or `}`",          "a name in quotes or `}`",
      "the name of an op or `}`"};
  return by_level[static_cast<size_t>(level())];
}

bool Builder::stray(size_t& at) {
  const size_t begin = at;
  const bool found = skip_stray(at);
  skipped(begin, at);
  return found;
}

bool Builder::skip_stray(size_t& at) {
  const Token token = look_.token(at);
  if (token.kind == TokenKind::end) return false;
  if (text_[token.begin] == '}') return stray_brace(at);
  if (ends_block(token)) return false;
  const bool tried = repair_ != Repair::none && repair_at_ == token.begin;
  if (!tried && stray_word(token, at)) return true;
  if (reported_at_ != token.begin) {
    stray_token(token);
  }
  const char c = text_[token.begin];
  const bool comment = token.kind == TokenKind::regex && look_.text(token).starts_with("//");
  if (comment) {
    at = look_.line_end(token.begin);
  } else if (c == ';' || c == ',') {
    at = token.end;
  } else if (c == '{' && token.kind == TokenKind::other) {
    at = next_item(token.begin);
  } else {
    at = next_item(token.end);
  }
  return true;
}

void Builder::stray_token(const Token& token) {
  if (!is_first_report(token.begin)) return;
  const char c = text_[token.begin];
  diag::Diagnostic& added =
      sink_.add(diag::code::syntax, range(token), items(), look_.describe(token.begin));
  const std::string_view meant = keyword_for(look_.text(token));
  if (is_import(token)) {
    const Token name = look_.next(look_.next(look_.next(token)));
    const std::string use =
        fmt::format("use {}.{}", look_.text(look_.next(token)), look_.text(name));
    added.help("write `{}`", excerpt(use, 60)).replace(range(token.begin, name.end), use);
  } else if (c == ';' || c == ',') {
    added.help("remove it: items need no separator").replace(range(token), "");
  } else if ((c == ':' || c == '=') && level() == Level::labels) {
    added.help("remove it: a label is followed by its title")
        .replace(range(look_.before_blanks(token.begin), token.end), "");
  } else if (is_word(token) && !meant.empty()) {
    added.help("did you mean `{}`?", meant).suggest(range(token), std::string(meant));
  } else if (!remedy_for_stray(added, token)) {
    hint(added, token.begin);
  }
}

bool Builder::stray_brace(size_t& at) {
  if (level() != Level::file) return false;
  const size_t begin = at;
  size_t end = at;
  // Several consecutive braces are one mistake.
  for (Token token = look_.token(at); look_.byte(token.begin) == '}'; token = look_.next(token)) {
    end = token.end;
  }
  at = end;
  if (after_misplaced_) {
    after_misplaced_ = false;
    return true;
  }
  diag::Diagnostic& added = sink_.add(diag::code::stray_brace, range(begin, begin + 1));
  if (closed_engine_.valid()) added.related(closed_engine_, "the engine was closed here");
  added.help("remove it").suggest(range(begin, end), "");
  return true;
}

bool Builder::stray_word(const Token& token, size_t& at) {
  if (stray_quote(token, at)) {
    const Token next = look_.token(at);
    const bool item = is_word(next) || next.kind == TokenKind::string;
    at = item ? next.begin : next_item(at);
    return true;
  }
  if (token.kind == TokenKind::string && odd_quotes(token.begin)) {
    at = next_item(unpaired_quotes(token.begin));
    return true;
  }
  if (stray_misspelled(token)) return true;
  if (level() == Level::file) return stray_in_file(token, at);
  if (level() == Level::rules) return stray_in_rules(token, at);
  if (level() == Level::labels) return stray_color(token, at) || stray_in_labels(token);
  return level() != Level::test && level() != Level::costs && stray_in_body(token, at);
}

bool Builder::stray_misspelled(const Token& token) {
  const std::string_view word = look_.text(token);
  if (!is_word(token) || word.size() > longest_keyword || is_keyword(word)) return false;
  const Token next = look_.next(token);
  const char after = look_.byte(next.begin);
  const bool in_body = level() == Level::engine || level() == Level::model;
  std::optional<std::string> near;
  if (level() == Level::rules) {
    if (!is_word(next) && next.kind != TokenKind::string) return false;
    near = nearest(word, rules_keywords);
    // `inclde "x"` is rather a rule without its colon.
    if (near && !is_word(next) && *near != "refine") return false;
  } else if (level() == Level::file) {
    near = nearest(word, file_keywords);
    if (!near) near = nearest(word, body_keywords);
  } else if (in_body) {
    near = nearest(word, body_keywords);
    if (!near) near = nearest(word, file_keywords);
  }
  if (!near || word == *near || (after == ':') != (*near == "detect")) return false;
  repair(Repair::keyword, token.begin);
  repair_size_ = word.size();
  for (const auto* keywords : {&file_keywords, &body_keywords, &rules_keywords}) {
    for (const std::string& keyword : *keywords) {
      if (keyword == *near) repair_keyword_ = keyword;
    }
  }
  const bool foreign =
      in_body ? is_file_keyword(*near) && !is_body_keyword(*near)
              : level() == Level::file && is_body_keyword(*near) && !is_file_keyword(*near);
  if (foreign) return false;
  misspelled(range(token), repair_keyword_);
  return true;
}

void Builder::report_misplaced(const Token& token, std::string_view where, std::string_view help) {
  if (!is_first_report(token.begin)) return;
  sink_.add(diag::code::misplaced, range(token), excerpt(look_.text(token), 40), where).help_ =
      help;
}

bool Builder::stray_in_file(const Token& token, size_t& at) {
  if (stray_metadata(token, at)) return true;
  const std::string_view word = look_.text(token);
  const bool body_item = (is_body_keyword(word) && !is_file_keyword(word)) || is_block(token);
  if (!body_item && !begins_rule(token)) return false;
  if (!after_misplaced_ && is_first_report(token.begin)) {
    diag::Diagnostic& added =
        sink_.add(diag::code::misplaced, range(token), excerpt(word, 40),
                  body_item ? "outside an engine" : "outside a block of rules");
    if (closed_engine_.valid()) added.related(closed_engine_, "the engine was closed here");
    added.help_ = body_item ? "put it into an engine" : rules_belong;
    const bool extra = closed_engine_.valid() && !file_.engines.empty() &&
                       look_.first_on_line(closed_engine_.begin) &&
                       indent_of(closed_engine_.begin) > indent_of(file_.engines.back().span.begin);
    if (body_item && extra) {
      added.help("remove the `}}` that closes the engine: it is indented deeper than the engine")
          .suggest(closed_engine_, "");
    } else if (is_block(token))
      added.help("for rules that engines share: `table NAME for {} {{ … }}`", word);
    after_misplaced_ = closed_engine_.valid();
  }
  if (body_item) {
    repair(Repair::place, token.begin);
  } else {
    at = next_item(token.end);
  }
  return true;
}

bool Builder::stray_in_body(const Token& token, size_t& at) {
  const std::string_view word = look_.text(token);
  if (stray_metadata(token, at) || stray_block(token, at)) return true;
  if (begins_rule(token) || is_rules_keyword(word)) {
    report_misplaced(token, "outside a block of rules", rules_belong);
    at = next_item(token.end);
    return true;
  }
  if (!is_word(token)) return false;
  if (word == "engine" || word == "model") {
    const bool engine = word == "engine";
    report_misplaced(token, engine ? "inside an engine" : "inside a model",
                     engine ? "close the first engine before it"
                            : "close the first model before it; to inherit, write `extends`");
    at = past_block(token.begin);
    return true;
  }
  if (!is_keyword(word) && begins_rule(look_.next(token))) {
    repair(Repair::brace, token.begin);
    return true;
  }
  if (!is_file_keyword(word) || is_body_keyword(word)) return false;
  report_misplaced(token, "inside an engine",
                   "move it out of the engine, to the top level of the file");
  if (word == "test" && look_.byte(look_.next(token).begin) == '{') {
    at = past_block(token.begin);
    return true;
  }
  repair(Repair::place, token.begin);
  return true;
}

bool Builder::stray_in_rules(const Token& token, size_t& at) {
  if (stray_refine(token, at)) return true;
  if (begins_outer(token)) {
    stray_outer(token);
    at = past_block(token.begin);
    return true;
  }
  if (!is_word(token) && token.kind != TokenKind::string) return false;
  if (is_word(token) && is_keyword(look_.text(token))) return false;
  if (reversed_rule(token, at) || conditional_rule(token, at)) return true;
  const Token next = look_.next(token);
  const char after = look_.byte(next.begin);
  const bool same_line = next.begin < look_.line_end(token.begin);
  constexpr std::string_view starts = "^@!(=-";
  const bool operand = next.kind == TokenKind::string || next.kind == TokenKind::regex ||
                       (after != '\0' && starts.find(after) != starts.npos);
  const bool name = is_word(next) && same_line && !begins_item(next);
  if (!operand && !name) return false;
  if (!is_first_report(token.begin)) return false;
  const std::string_view sign = look_.text(next);
  const bool instead = sign == "=" || sign == "=>" || sign == "->";
  const size_t sign_end = next.end + (sign == "=" && look_.byte(next.end) == '=' ? 1 : 0);
  if (next.kind == TokenKind::string && same_line && begins_rule(next)) {
    sink_.add(diag::code::syntax, range(next), "`:`", look_.describe(next.begin))
        .help("remove it: the titles of labels are in `labels`")
        .replace(range(token.end, next.end), "");
    repair(Repair::colon, token.begin);
    return true;
  }
  sink_.add(diag::code::missing_colon, range(token), excerpt(look_.text(token), 40))
      .help("write `{}:`", excerpt(look_.text(token), 40))
      .replace(range(token.end, instead ? sign_end : token.end), ":");
  repair(Repair::colon, token.begin);
  return true;
}

bool Builder::stray_in_labels(const Token& token) {
  if (!is_word(token) || !is_keyword(look_.text(token)) || !is_first_report(token.begin))
    return false;
  sink_.add(diag::code::keyword_as_name, range(token), look_.text(token), "a label without quotes")
      .help("write `\"{}\"`", look_.text(token))
      .replace(range(token), fmt::format("\"{}\"", look_.text(token)));
  repair(Repair::label, token.begin);
  return true;
}

}  // namespace kr::syntax
