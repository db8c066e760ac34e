// Builder: reports mistakes inside an item, and finds where parsing continues.
#include <algorithm>
#include <optional>
#include <utility>

#include "base/ascii.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/utf8.hpp"
#include "syntax/builder.hpp"
#include "syntax/words.hpp"

namespace kr::syntax {
namespace {

constexpr size_t longest_word = 40;   // bytes of a name in a message
constexpr size_t guess_bytes = 1000;  // bytes read for a guess
constexpr size_t tokens_ahead = 20;

}  // namespace

/// Straight quotes in place of the others around a text that ends on its line.
void Builder::fix_quotes(diag::Diagnostic& added, size_t at) const {
  constexpr std::string_view quotes[] = {
      "\xe2\x80\x9c", "\xe2\x80\x9d", "\xe2\x80\x9e", "\xe2\x80\x98", "\xe2\x80\x99", "'", "`"};
  const auto size_at = [&](size_t place) {
    for (const std::string_view quote : quotes) {
      if (text_.substr(place).starts_with(quote)) return quote.size();
    }
    return size_t{0};
  };
  const size_t size = size_at(at);
  const size_t end = std::min(look_.line_end(at), at + guess_bytes);
  for (size_t close = at + size; close < end; ++close) {
    const char c = text_[close];
    if (c == '\\' || (c == '"' && close == at + size)) return;
    const size_t closing = c == '"' ? 1 : size_at(close);
    if (closing == 0) continue;
    if (close == at + size) return;
    added.fix =
        diag::Fix{true, {{range(at, at + size), "\""}, {range(close, close + closing), "\""}}};
    return;
  }
}

/// Signs that other languages have before an operand.
void Builder::hint_operand(diag::Diagnostic& added, size_t at) const {
  const std::string_view rest = text_.substr(std::min(at, text_.size()), guess_bytes);
  if (rest.empty()) return;
  const Token next = look_.token(at + 1);
  const bool same_line = next.begin < look_.line_end(at);
  if (rest[0] == '~' || (rest[0] == '-' && same_line && is_operand(next))) {
    added.help("write `!`").replace(range(at, at + 1), "!");
  } else if (rest[0] == '=' && at > 0 && text_[at - 1] == '!') {
    added.help("write `!` alone: it negates what follows").replace(range(at, at + 1), "");
  } else if (rest[0] == '$' && next.kind == TokenKind::string) {
    added.help("write it after the text: `{}$`", excerpt(look_.text(next), longest_word)).fix =
        diag::Fix{true, {{range(at, at + 1), ""}, {range(next.end, next.end), "$"}}};
  } else if (rest[0] == '|' || rest[0] == '&') {
    added.help("remove it: an operator stands between two operands, once")
        .replace(range(at, at + 1), "");
  }
}

void Builder::hint(diag::Diagnostic& added, size_t at) const {
  const std::string_view rest = text_.substr(std::min(at, text_.size()), 4);
  const auto begins = [&](const auto&... texts) { return (rest.starts_with(texts) || ...); };
  if (begins("\xe2\x80\x9c", "\xe2\x80\x9d", "\xe2\x80\x9e", "\xe2\x80\x98", "\xe2\x80\x99")) {
    added.help("write texts between straight quotes: `\"…\"`");
    fix_quotes(added, at);
  } else if (begins("'", "`")) {
    added.help("write texts between double quotes: `\"…\"`");
    fix_quotes(added, at);
  } else if (begins("//")) {
    added.help("a comment begins with `#`").replace(range(at, at + 2), "#");
  } else if (begins("/*")) {
    added.help("a comment begins with `#`");
  } else if (begins("\xc2\xa0", "\xe2\x80\xaf", "\xe3\x80\x80", "\xe2\x80\x8b", "\xef\xbb\xbf")) {
    const size_t size = first_glyph(rest).bytes;
    added
        .help(
            "this is a blank of another kind (`{}`), which some editors and web pages write; "
            "replace it with a blank",
            hex_bytes(rest.substr(0, size)))
        .replace(range(at, at + size), " ");
  } else if (!rest.empty() && static_cast<unsigned char>(rest[0]) >= 0x80) {
    added.help("quote a name that has other characters than letters, digits, `_` and `-`");
  }
}

bool Builder::is_other_format() {
  const std::string_view format = other_format();
  if (format.empty()) return false;
  const Token first = look_.token(text_.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
  diag::Diagnostic& added = sink_.add(diag::code::not_rules, range(first), format);
  if (format == "JSON" || format == "Python") {
    added.help("`kr import FILE` makes rules from tables of patterns in JSON or Python");
  } else {
    added.help(
        "rules look like `engine NAME {{ substage {{ gemm: \"gemm\" }} }}`; `kr init` writes a "
        "first file");
  }
  return true;
}

/// The name of another format that the file is in, by its first lines; empty: none.
std::string_view Builder::other_format() const {
  const Token first = look_.token(text_.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
  if (first.kind == TokenKind::end) return {};
  const Token second = look_.next(first);
  const std::string_view rest = text_.substr(first.begin, guess_bytes);
  const char after = look_.byte(second.begin);
  if (rest.starts_with("<")) return "XML";
  if (rest[0] == '{') return "JSON";
  if (rest[0] == '[') {
    // `[substage]` alone on its line.
    const Token third = look_.next(second);
    const bool section = second.kind == TokenKind::word && look_.byte(third.begin) == ']' &&
                         third.end == look_.before_blanks(look_.line_end(first.begin));
    return section ? "TOML" : "JSON";
  }
  if (rest.starts_with("---") || rest.starts_with("- ")) return "YAML";
  if (first.kind != TokenKind::word || second.kind == TokenKind::end) return {};
  const std::string_view word = look_.text(first);
  const bool ends_line = look_.before_blanks(look_.line_end(first.begin)) == second.end;
  if (after == ':' && ends_line) return "YAML";
  if (is_keyword(word)) return {};
  const char value = look_.byte(look_.next(second).begin);
  if (after == '=' && (value == '{' || value == '[')) return "Python";
  if (word == "def" || word == "class") return "Python";
  return {};
}

/// Whether the line has an odd number of quotes after `begin`: a quote is missing before it.
bool Builder::odd_quotes(size_t begin) const {
  const size_t end = std::min(text_.size(), begin + guess_bytes);
  bool odd = false;
  for (size_t at = begin; at < end && text_[at] != '\n'; ++at) {
    if (text_[at] == '\\') {
      ++at;
    } else if (text_[at] == '"') {
      odd = !odd;
    } else if (text_[at] == '#' && !odd) {
      break;
    }
  }
  return odd;
}

size_t Builder::unpaired_quotes(size_t begin) {
  const size_t end = look_.line_end(begin);
  if (is_first_report(begin)) {
    sink_.add(diag::code::unterminated_text, range(begin, look_.before_blanks(end)))
        .help("the quotes of this line are unbalanced; write `\\\"` for a quote in a text");
  }
  return end;
}

bool Builder::is_first_report(size_t at) {
  if (reported_at_ == at) return false;
  reported_at_ = at;
  if (at >= text_.size()) {
    if (end_reported_) return false;
    end_reported_ = true;
  }
  return !(broken_bytes_ && at < text_.size() && static_cast<unsigned char>(text_[at]) >= 0x80);
}

size_t Builder::expected(size_t at, std::string_view what) {
  const Token token = look_.token(at);
  if (!is_first_report(token.begin)) abandon(token.begin);
  diag::Diagnostic& added = unexpected(token, what);
  if (added.help_.empty()) hint(added, token.begin);
  // `color #4e79a7`: the colour is a comment.
  if (what.starts_with("a colour")) {
    const size_t begin = trivia_.before_gap(at);
    const size_t end = look_.line_end(begin);
    const size_t sign = std::min(text_.find_first_not_of(" \t", begin), end);
    size_t last = sign;
    while (last < end && (last == sign || is_word_byte(text_[last]))) ++last;
    const std::string_view color = look_.slice(sign, last);
    if (color.size() == 7 && color[0] == '#') {
      added.span = range(sign, last);
      added.message = fmt::format("expected {}, found a comment: `{}`", what, color);
      added.related_.clear();
      added.help("write `\"{}\"`: `#` begins a comment", color)
          .replace(range(sign, last), fmt::format("\"{}\"", color));
    } else if (token.kind == TokenKind::word && !look_.first_on_line(token.begin)) {
      added.help("write red, green and blue in hex digits, in quotes: `\"#4e79a7\"`");
    }
  }
  if (level() == Level::test && what == "a label") {
    const char c = text_[std::min(token.begin, text_.size() - 1)];
    if (c == '=' || c == '/' || c == ':') {
      added.help("write the dimension and the label with a blank between: `=> substage gemm`")
          .replace(range(token.begin, token.begin + 1), " ");
    } else {
      added.help("write the dimension before the label: `=> substage {}`",
                 case_.expected.empty() ? "gemm" : case_.expected.back().dimension.text);
    }
  }
  return at;
}

/// If the next token is on a later line, the mistake is at the end of the current line.
diag::Diagnostic& Builder::unexpected(const Token& token, std::string_view what) {
  const std::string found = look_.describe(token.begin);
  const size_t before = trivia_.before_gap(token.begin);
  if (token.kind == TokenKind::end) {
    return sink_.add(diag::code::syntax, range(before, before), what, found);
  }
  if (before == 0 || !look_.first_on_line(token.begin)) {
    return sink_.add(diag::code::syntax, range(token), what, found);
  }
  return sink_.add(diag::code::syntax, range(before, before), what, found)
      .related(range(token), "{} is here", found);
}

// Missing parts.

size_t Builder::mistake(For<g::atom>, source::Span seen) {
  const Token token = look_.token(seen.begin);
  // The missing operands of `a: | | "x"` are one mistake.
  const Expr* last = exprs_.last();
  const bool again = last != nullptr && last->span.size() == 0;
  if (!again && is_first_report(token.begin)) {
    diag::Diagnostic& added = unexpected(token, "an expression");
    hint(added, token.begin);
    if (added.help_.empty()) hint_operand(added, token.begin);
    const size_t before = look_.before_blanks(seen.begin);
    const char sign = before > 0 ? text_[before - 1] : '\0';
    if (added.help_.empty() && (sign == '|' || sign == '&')) {
      added.help("remove the `{}`, or write what follows it", sign);
    }
  }
  atom_ = placeholder(range(seen.begin, seen.begin));
  exprs_.atom(std::move(atom_));
  return seen.begin;
}

bool Builder::is_operand(const Token& token) const {
  if (token.kind != TokenKind::other) return token.kind != TokenKind::end;
  const char c = text_[token.begin];
  return c == '^' || c == '@' || c == '!' || c == '(';
}

bool Builder::side_by_side(size_t at) const {
  const Token token = look_.token(at);
  const Token next = look_.next(token);
  const char after = look_.byte(next.begin);
  switch (token.kind) {
    case TokenKind::end:
      return false;
    case TokenKind::string:
      // The first token of a line, followed by another operand, is a label without its colon.
      return after != ':' && !(look_.first_on_line(token.begin) && is_operand(next) &&
                               next.begin < look_.line_end(token.begin));
    case TokenKind::regex:
      return true;
    case TokenKind::other: {
      // `"a", "b"` and `"a" + "b"`.
      const char c = text_[token.begin];
      const bool joins =
          (c == ',' && (level() == Level::rules || level() == Level::file)) || c == '+';
      if (!joins || token.end != token.begin + 1) return is_operand(token);
      return is_operand(next) && after != '>' && !look_.first_on_line(next.begin) &&
             next.kind != TokenKind::end && look_.byte(look_.next(next).begin) != ':';
    }
    case TokenKind::word:
      break;
  }
  // A word at the start of a line is more likely a rule without its colon.
  if (after == ':' || is_block(token) || look_.first_on_line(token.begin)) return false;
  const std::string_view word = look_.text(token);
  if (word == "keep") {
    return exprs_.last() != nullptr && exprs_.last()->kind == ExprKind::otherwise;
  }
  if (word == "otherwise") {
    // `otherwise keep` is the next rule; before `keep:` it is a stray atom.
    return look_.text(next) != "keep" || look_.byte(look_.next(next).begin) == ':';
  }
  if (word == "refine" && look_.byte(look_.next(next).begin) == '{') return false;
  if (level() != Level::rules && is_metadata_keyword(word)) return next.kind != TokenKind::string;
  if (level() == Level::file && word == "requires") return look_.text(next) != "kr";
  return !is_keyword(word) || word == "within";
}

bool Builder::not_before_operand(size_t at) const {
  const Token token = look_.token(at);
  if (token.kind != TokenKind::word || look_.text(token) != "not") return false;
  const Token next = look_.next(token);
  const char after = look_.byte(look_.next(next).begin);
  return is_operand(next) && !look_.first_on_line(next.begin) &&
         (next.kind != TokenKind::word || (after != ':' && after != '{'));
}

/// Parses `not` as a negation.
size_t Builder::mistake(For<g::not_word>, source::Span seen) {
  const Token token = look_.token(seen.begin);
  if (is_first_report(token.begin)) {
    sink_.add(diag::code::syntax, range(token), "`!`", "`not`")
        .help("write `!`")
        .replace(range(token), "!");
  }
  on(For<g::negation>(), range(token));
  return token.end;
}

size_t Builder::mistake(For<g::missing_operator>, source::Span seen) {
  const Token token = look_.token(seen.begin);
  const std::string_view word = look_.text(token);
  // A copy: it moves when expressions are joined.
  std::optional<std::pair<ExprKind, source::Span>> last;
  if (const Expr* const expr = exprs_.last()) last.emplace(expr->kind, expr->span);
  if (last && last->first == ExprKind::text && odd_quotes(token.begin)) {
    abandon(unpaired_quotes(look_.first_on_line(token.begin) ? token.begin : last->second.begin));
  }
  if (!is_first_report(token.begin)) abandon(token.end);
  if (word == "keep") {
    sink_.add(diag::code::syntax, range(token), "the next rule", "`keep`")
        .help("`otherwise keep` is a rule without a label");
    abandon(token.end);
  }
  diag::Diagnostic& added =
      sink_.add(diag::code::missing_operator, range(token), look_.describe(token.begin));
  const std::string lower = lowered(std::string(word.substr(0, longest_word)));
  if (lower == "and") {
    added.help("write `&`").replace(range(token), "&");
    return token.end;
  }
  exprs_.disjunction();
  if (lower == "or") {
    added.help("write `|`").replace(range(token), "|");
    return token.end;
  }
  if (word == "," || word == "+") {
    // A comma has the blank after it already.
    added.help("alternatives are joined with `|`").replace(range(token), word == "," ? " |" : "|");
    return token.end;
  }
  if (word == "^" && last && last->first == ExprKind::text) {
    const source::Span text = last->second;
    if (text.end == token.begin) {
      added
          .help("write it before the text: `^{}`",
                excerpt(look_.slice(text.begin, text.end), longest_word))
          .fix = diag::Fix{true, {{range(text.begin, text.begin), "^"}, {range(token), ""}}};
      return token.end;
    }
  }
  // `r"text"`, as some languages write it.
  if (last && last->first == ExprKind::pattern && last->second.size() == 1 &&
      token.kind == TokenKind::string && last->second.end == token.begin) {
    added
        .help("remove `{}`: a text has no prefix; a regular expression is `/…/`",
              look_.slice(last->second.begin, last->second.end))
        .replace(last->second, "");
    return token.begin;
  }
  added.help("join the two with `|` or `&`");
  return token.begin;
}

size_t Builder::mistake(For<g::colon>, source::Span seen) {
  const Token token = look_.token(seen.begin);
  if (!is_first_report(token.begin)) abandon(token.begin);
  const size_t end = look_.before_blanks(token.begin);
  size_t begin = end;
  while (begin > 0 && is_word_byte(text_[begin - 1])) --begin;
  const std::string_view before = begin < end ? look_.slice(begin, end) : word_.text;
  sink_.add(diag::code::missing_colon, range(begin, end), excerpt(before, longest_word))
      .help("write `{}:`", excerpt(before, longest_word))
      .replace(look_.byte(token.begin) == '=' ? range(end, token.end) : range(end, end), ":");
  return look_.byte(token.begin) == '=' ? token.end : token.begin;
}

size_t Builder::mistake(For<g::equals>, source::Span seen) {
  const size_t errors = sink_.errors();
  const size_t at = expected(seen.begin, "`=`");
  if (look_.byte(at) != ':') return at;
  if (sink_.errors() > errors) {
    sink_.last().help("write `=`").replace(range(seen.end, at + 1), " =");
  }
  return at + 1;
}

size_t Builder::mistake(For<g::arrow>, source::Span seen) {
  const size_t errors = sink_.errors();
  const size_t at = expected(seen.begin, case_.within.empty() ? "`=>` or `within`" : "`=>`");
  const Token token = look_.token(at);
  const std::string_view sign = look_.text(token);
  if (sink_.errors() > errors && (sign == "->" || sign == ":" || sign == "=")) {
    sink_.last().help("write `=>`").replace(range(token), "=>");
  }
  size_t after = token.begin;
  while (look_.byte(after) == '-' || look_.byte(after) == '=' || look_.byte(after) == '>' ||
         look_.byte(after) == ':') {
    ++after;
  }
  if (after == token.begin && (token.kind != TokenKind::word || look_.first_on_line(token.begin))) {
    abandon(token.begin);
  }
  return after;
}

size_t Builder::mistake(For<g::keep>, source::Span seen) {
  const Token token = look_.token(seen.begin);
  if (!is_first_report(token.begin)) abandon(token.begin);
  unexpected(token, "`keep` after `otherwise`")
      .help("write `LABEL: otherwise`, or `otherwise keep`");
  pending_ = Pending::none;
  abandon(seen.begin);
}

size_t Builder::mistake(For<g::retired_replace>, source::Span seen) {
  const Token label = look_.next(look_.token(seen.begin));
  const std::string text(excerpt(look_.text(label), longest_word));
  sink_.add(diag::code::retired_edit, seen, "replace")
      .help("write `{0}: …` without it; for another label of some of them `refine {0} {{ … }}`",
            text);
  return seen.end;
}

size_t Builder::mistake(For<g::retired_drop>, source::Span seen) {
  const Token label = look_.next(look_.token(seen.begin));
  const std::string text(excerpt(look_.text(label), longest_word));
  sink_.add(diag::code::retired_edit, seen, "drop")
      .help("give the names another label by a rule above, or `refine {} {{ LABEL: … }}`", text);
  return seen.end;
}

size_t Builder::mistake(For<g::begin_text>, source::Span seen) {
  const Token token = look_.token(seen.begin);
  if (token.kind != TokenKind::regex) abandon(expected(seen.begin, "a text after `^`"));
  sink_.add(diag::code::anchored_regex, anchor_, "^").help("write `^` inside: `/^…/`").fix =
      diag::Fix{true, {{anchor_, ""}, {range(token.begin + 1, token.begin + 1), "^"}}};
  atom_ = placeholder(source::join(anchor_, range(token)));
  return token.end;
}

size_t Builder::mistake(For<g::operation>, source::Span seen) {
  operation_ = OperationKind::kernel;
  if (seen.size() == 0) {
    return expected(seen.begin, "`kernel`, `memcpy` or `memset` after `@`");
  }
  const std::string_view word = look_.slice(seen.begin, seen.end);
  static const std::vector<std::string> kinds{"kernel", "memcpy", "memset"};
  diag::Diagnostic& added =
      sink_.add(diag::code::unknown_operation, seen, excerpt(word, longest_word));
  if (const auto near = nearest(word.substr(0, guess_bytes), kinds)) {
    added.help("did you mean `@{}`?", *near).suggest(seen, *near);
  } else {
    added.help("use `@kernel`, `@memcpy` or `@memset`");
  }
  return seen.end;
}

size_t Builder::missing_brace(source::Span seen, bool body,
                              const std::function<void(source::Span)>& open) {
  const size_t errors = sink_.errors();
  expected(seen.begin, "`{`");
  if (sink_.errors() > errors && sink_.last().help_.empty()) {
    const Token found = look_.token(seen.begin);
    const std::string_view meant = keyword_for(look_.text(found));
    if (found.kind == TokenKind::word && meant == "extends") {
      sink_.last().help("did you mean `extends`?").replace(range(found), "extends");
    } else {
      const size_t end = look_.before_blanks(seen.begin);
      sink_.last().help("add `{{`").suggest(range(end, end), " {");
    }
  }
  const size_t line_end = std::min(look_.line_end(seen.begin), seen.begin + guess_bytes);
  Token token = look_.token(seen.begin);
  const Token first = token;
  const bool next_line = look_.first_on_line(first.begin) || (body && is_block(first));
  for (size_t i = 0; i < tokens_ahead && token.end <= line_end && token.kind != TokenKind::end;
       ++i, token = look_.next(token)) {
    if (text_[token.begin] == '{' && !next_line) {
      open(range(token));
      return token.end;
    }
  }
  const std::string_view word = look_.text(first);
  const bool next_declaration =
      (is_file_keyword(word) && !is_metadata_keyword(word)) || (in_model_ && word == "model");
  const bool goes_on = next_line || repair_ == Repair::brace;
  if (first.kind == TokenKind::end || !goes_on || next_declaration) abandon(first.begin);
  open(range(first.begin, first.begin));
  return first.begin;
}

size_t Builder::unclosed_brace(source::Span seen) {
  const Token token = look_.token(seen.begin);
  if (is_first_report(token.begin)) {
    const bool at_end = token.kind == TokenKind::end;
    const std::string found = look_.describe(token.begin);
    // The brace is missing before a token on another line.
    const bool before = at_end || look_.first_on_line(token.begin);
    // The first place where the indentation shows it, if there is one.
    const bool indented = suspect_ && suspect_->open.begin >= braces_.front().span.begin;
    const size_t end = trivia_.before_gap(indented ? suspect_->place.begin : token.begin);
    const bool apart = before || indented;
    diag::Diagnostic& added =
        sink_.add(diag::code::unclosed_brace, apart ? range(end, end) : range(token),
                  indented ? look_.describe(suspect_->place.begin) : found);
    if (indented) {
      added.related(suspect_->place, "by its indentation, this is after the block");
      added.related(suspect_->open, "opened here");
    } else {
      if (before && !at_end) added.related(range(token), "{} is here", found);
      // At the end of the file, all open braces are one mistake.
      for (size_t i = braces_.size(); i > 0; --i) {
        added.related(braces_[i - 1].span, "opened here");
        if (!at_end) break;
      }
    }
    added.help("add `}}`");
    if (apart) {
      const size_t indent = indented ? suspect_->indent : braces_.back().indent;
      added.suggest(range(end, end), '\n' + std::string(indent, ' ') + '}');
    }
    suspect_.reset();
  }
  braces_.pop_back();
  return seen.begin;
}

// Broken tokens.

size_t Builder::mistake(For<g::text_end>, source::Span seen) {
  const size_t open = bytes_.begin - 1;
  const size_t end = look_.line_end(seen.begin);
  if (open >= escapes_checked_) {
    sink_
        .add(diag::code::unterminated_text,
             range(open, std::max(look_.before_blanks(end), open + 1)))
        .help("add `\"`; a text must end on the line where it begins")
        .suggest(range(look_.before_blanks(end), look_.before_blanks(end)), "\"");
  }
  return end;
}

size_t Builder::mistake(For<g::regex_end>, source::Span seen) {
  const size_t open = bytes_.begin - 1;
  const size_t end = look_.line_end(seen.begin);
  sink_
      .add(diag::code::unterminated_regex,
           range(open, std::max(look_.before_blanks(end), open + 1)))
      .help("add `/`; a slash in the expression is written `\\/`");
  return end;
}

size_t Builder::mistake(For<g::empty_regex>, source::Span seen) {
  atom_ = placeholder(seen);
  size_t at = seen.end;
  if (look_.byte(at) == 'i' && !is_word_byte(look_.byte(at + 1))) ++at;
  size_t rest = at;
  while (look_.byte(rest) == ' ' || look_.byte(rest) == '\t' || look_.byte(rest) == '\r') ++rest;
  constexpr std::string_view ends("|&)#}$,\n\0", 9);
  const bool comment = ends.find(look_.byte(rest)) == ends.npos;
  diag::Diagnostic& added = sink_.add(diag::code::empty_regex, seen);
  if (comment) {
    added.help("a comment begins with `#`");
    return look_.line_end(at);
  }
  added.help("write an expression between the slashes");
  return at;
}

size_t Builder::mistake(For<g::wrong_flag>, source::Span seen) {
  if (atom_.kind == ExprKind::text && odd_quotes(seen.end)) {
    abandon(unpaired_quotes(atom_.span.begin));
  }
  const std::string_view flag = look_.slice(seen.begin, seen.end);
  sink_.add(diag::code::wrong_flag, seen, excerpt(flag, longest_word))
      .help("the only flag is `i`, which ignores ASCII case");
  // `/a/b/`: the slash between is part of the expression.
  if (atom_.kind == ExprKind::regex && look_.byte(seen.end) == '/') {
    const size_t slash = bytes_.end;
    diag::Diagnostic& added = sink_.last();
    added.span = range(slash, slash + 1);
    added.message = "this `/` ends the regular expression";
    added.help("write `\\/` for a slash in a regular expression")
        .replace(range(slash, slash + 1), "\\/");
    return seen.end + 1;
  }
  if (flag == "g" || flag == "m" || flag == "s" || flag == "x") sink_.last().replace(seen, "");
  return seen.end;
}

size_t Builder::mistake(For<g::flag_apart>, source::Span seen) {
  const bool anchor = text_[seen.end - 1] == '$';
  if (anchor && atom_.kind == ExprKind::regex) {
    on(For<g::end_anchor>(), range(seen.end - 1, seen.end));
    return seen.end;
  }
  (anchor ? atom_.at_end : atom_.ignore_case) = true;
  sink_.add(diag::code::detached_flag, range(seen.end - 1, seen.end), anchor ? "$" : "i")
      .help("remove the blank before it")
      .replace(range(look_.before_blanks(seen.end - 1), seen.end - 1), "");
  return seen.end;
}

size_t Builder::mistake(For<g::caret_apart>, source::Span seen) {
  sink_.add(diag::code::detached_flag, anchor_, "^")
      .help("remove the blank after it")
      .replace(range(anchor_.end, look_.token(anchor_.end).begin), "");
  return seen.end;
}

size_t Builder::mistake(For<g::doubled>, source::Span seen) {
  const std::string_view sign = look_.slice(seen.begin, seen.end);
  sink_.add(diag::code::syntax, seen, "an expression", fmt::format("`{}`", sign))
      .help("write `|` and `&` only once")
      .replace(seen, "");
  return seen.end;
}

// Keywords.

bool Builder::is_near(size_t at, std::string_view keyword) const {
  const Token token = look_.token(at);
  const std::string_view word = look_.text(token);
  if (token.kind != TokenKind::word || token.begin != at || look_.first_on_line(at)) return false;
  if (word.size() > keyword.size() + 2 || is_keyword(word)) return false;
  return edit_distance(word, keyword) <= (keyword.size() > 4 ? 2U : 1U);
}

size_t Builder::misspelled(source::Span seen, std::string_view keyword) {
  sink_.add(diag::code::misspelled_keyword, seen, look_.slice(seen.begin, seen.end))
      .help("did you mean `{}`?", keyword)
      .replace(seen, std::string(keyword));
  return seen.end;
}

}  // namespace kr::syntax
