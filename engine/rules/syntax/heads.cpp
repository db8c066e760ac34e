// Builder: mistakes in the heads of declarations: names, what they extend and belong to, the brace.
#include <algorithm>
#include <utility>

#include "base/printable.hpp"
#include "syntax/builder.hpp"
#include "syntax/words.hpp"

namespace kr::syntax {
namespace {

constexpr size_t tokens_ahead = 20;

/// The name in `(base)`, `: v.base`, `= "base"`; empty if there is more.
std::string_view only_word(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t(:=<>.\"'");
  if (begin == text.npos) return {};
  const size_t end = text.find_last_not_of(" \t)\"'");
  const std::string_view word = text.substr(begin, end - begin + 1);
  const bool path = std::ranges::all_of(word, [](char c) { return is_word_byte(c) || c == '.'; });
  return path ? word : std::string_view();
}

/// The rest of `text` after one of the words.
std::optional<std::string_view> after_word(std::string_view text,
                                           std::initializer_list<std::string_view> words) {
  const std::string_view first = text.substr(0, text.find_first_of(" \t"));
  if (!is_one_of(first, words) || first.size() == text.size()) return std::nullopt;
  return text.substr(first.size());
}

}  // namespace

// Names.

/// A title or quotes where a name should be: the name is taken from there.
size_t Builder::wrong_name(size_t at, std::string_view what, Word& name) {
  const Token token = look_.token(at);
  const Token next = look_.next(token);
  const bool name_follows = next.kind == TokenKind::word && !look_.first_on_line(next.begin);
  const char c = look_.byte(token.begin);
  if (c == ':' && name_follows && brace_on_line(next).kind == TokenKind::end) {
    // `engine: mine` of YAML.
    if (is_first_report(token.begin)) {
      unexpected(token, what)
          .help("what belongs to it is in braces: `{} {} {{ … }}`",
                look_.slice(line_begin(token.begin), token.begin), look_.text(next));
    }
    abandon(next.end);
  }
  if (c == ':' && name_follows) {
    if (is_first_report(token.begin)) {
      unexpected(token, what).help("remove the `:`").replace(range(token), "");
    }
    name = {std::string(look_.text(next)), range(next), false};
    return next.end;
  }
  if (token.kind != TokenKind::string || token.end < token.begin + 3 ||
      look_.first_on_line(token.begin)) {
    return expected(at, what);
  }
  const std::string_view inside = look_.slice(token.begin + 1, token.end - 1);
  const bool of_test = &name == &test_.engine;
  const bool titled = of_test || &name == &engine_.name || &name == &model_.name;
  if (!titled && !is_word(inside)) return expected(at, what);
  const bool first = is_first_report(token.begin);
  if (titled && name_follows && !is_keyword(look_.text(next))) {
    if (first) {
      const std::string title(look_.text(token));
      const std::string word(look_.text(next));
      diag::Diagnostic& added = unexpected(token, what);
      if (of_test) {
        added.help("remove it: a test has no title").replace(range(token.begin, next.begin), "");
      } else {
        added.help("the title follows the name: `{} {}`", word, excerpt(title, longest_word)).fix =
            diag::Fix{true, {{range(token), word}, {range(next), title}}};
      }
    }
    name = {std::string(look_.text(next)), range(next), false};
    return next.end;
  }
  if (is_word(inside)) {
    if (first) {
      unexpected(token, what)
          .help("remove the quotes: `{}`", excerpt(inside, longest_word))
          .replace(range(token), std::string(inside));
    }
    name = {std::string(inside), range(token), true};
    return token.end;
  }
  if (first) {
    unexpected(token, what).help("write a name before the title: letters, digits, `_` and `-`");
  }
  return token.begin;
}

size_t Builder::mistake(For<g::engine_name>, source::Span seen) {
  return wrong_name(seen.begin, "the name of an engine", engine_.name);
}

size_t Builder::mistake(For<g::model_name>, source::Span seen) {
  return wrong_name(seen.begin, "the name of a model", model_.name);
}

size_t Builder::mistake(For<g::test_engine>, source::Span seen) {
  return wrong_name(seen.begin, "the name of an engine", test_.engine);
}

size_t Builder::mistake(For<g::labels_dimension>, source::Span seen) {
  const Token token = look_.token(seen.begin);
  const Token next = look_.next(token);
  if (look_.text(token) != "for") return expected(seen.begin, "the name of a dimension");
  unexpected(token, "the name of a dimension")
      .help("remove it: `labels {} {{ … }}`", excerpt(look_.text(next), longest_word))
      .replace(range(token.begin, next.begin), "");
  labels_.dimension = {std::string(look_.text(next)), range(next), false};
  return next.end;
}

/// `table shared substage {`, `table shared(substage) {`.
size_t Builder::mistake(For<g::table_for>, source::Span seen) {
  const Token token = look_.token(seen.begin);
  const bool paren = look_.byte(token.begin) == '(';
  const Token dimension = paren ? look_.next(token) : token;
  const Token after = look_.next(dimension);
  const char expected_after = paren ? ')' : '{';
  const bool certain = dimension.kind == TokenKind::word &&
                       look_.byte(after.begin) == expected_after &&
                       !look_.first_on_line(dimension.begin);
  if (!certain || !is_first_report(token.begin)) {
    return expected(seen.begin, "`for` and a dimension");
  }
  const std::string text = fmt::format("for {}", look_.text(dimension));
  const size_t before = look_.before_blanks(token.begin);
  unexpected(token, "`for` and a dimension")
      .help("write `{}`", text)
      .replace(range(before, paren ? after.end : dimension.end), ' ' + text);
  paren_head_ = paren ? after.begin : text_.size();
  return dimension.begin;
}

size_t Builder::mistake(For<g::from_dimension>, source::Span seen) {
  Word name;
  const size_t end = wrong_name(seen.begin, "the name of a dimension", name);
  if (name.span.valid()) from_ = std::move(name);
  return end;
}

size_t Builder::mistake(For<g::over_dimension>, source::Span seen) {
  Word name;
  const size_t end = wrong_name(seen.begin, "the name of a dimension", name);
  if (name.span.valid()) over_ = std::move(name);
  return end;
}

size_t Builder::mistake(For<g::expected_dimension>, source::Span seen) {
  const Token token = look_.token(seen.begin);
  const size_t comma = look_.before_blanks(trivia_.before_gap(seen.begin));
  const bool name = token.kind == TokenKind::string && token.end > token.begin + 2 &&
                    !is_word(look_.slice(token.begin + 1, token.end - 1));
  if (name && comma > 0 && look_.byte(comma - 1) == ',' && is_first_report(token.begin)) {
    unexpected(token, "the name of a dimension")
        .help("remove the `,`: operations of a test need no separator")
        .replace(range(comma - 1, comma), "");
    abandon(token.begin);
  }
  Word dimension;
  const size_t end = wrong_name(seen.begin, "the name of a dimension", dimension);
  case_.expected.push_back({std::move(dimension), {}});
  return end;
}

size_t Builder::mistake(For<g::foreign_dot>, source::Span seen) {
  if (is_first_report(seen.begin)) {
    sink_
        .add(diag::code::syntax, seen, "`.`",
             fmt::format("`{}`", look_.slice(seen.begin, seen.end)))
        .help(
            "the parts of a module's name are joined by `.`; a file is in quotes: "
            "`use \"./mine.kr\"`")
        .replace(seen, ".");
  }
  return seen.end;
}

// The brace.

Token Builder::brace_on_line(const Token& from) const {
  const size_t end = look_.line_end(from.begin, guess_bytes);
  Token token = from;
  for (size_t i = 0; i < tokens_ahead && token.end <= end && token.kind != TokenKind::end;
       ++i, token = look_.next(token)) {
    if (text_[token.begin] == '{') return token;
  }
  return {};
}

/// Where the line of `at` begins, if it is not too long.
size_t Builder::line_begin(size_t at) const {
  const size_t limit = at - std::min(at, guess_bytes);
  while (at > limit && text_[at - 1] != '\n') --at;
  return at;
}

/// The word, with its place in `whole`.
Word Builder::word_in(const std::string& word, source::Span whole) const {
  const size_t at = text_.rfind(word, whole.end - word.size());
  return {word, range(at, at + word.size()), false};
}

/// `test mine.tiny {`, `test mine tiny {`, `test engine mine {`.
std::optional<Builder::HeadRemedy> Builder::head_of_test(std::string_view between,
                                                         source::Span whole) {
  if (const auto rest = after_word(between, {"model"})) between = *rest;
  const std::string name(only_word(between));
  if (name.empty()) return std::nullopt;
  const Word engine = std::exchange(test_.engine, {});
  if (engine.text == "engine" || engine.text == "model") {
    test_.engine = word_in(name, whole);
    return HeadRemedy{fmt::format("remove `{}`: a test names the engine alone", engine.text),
                      {{source::join(engine.span, whole), name}}};
  }
  return HeadRemedy{
      fmt::format("a model follows its engine and a `/`: `test {}/{}`", engine.text, name),
      {{whole, '/' + name}}};
}

/// `model tiny : base {`, `model tiny(base) {`, `model tiny extends base "Tiny" {`.
std::optional<Builder::HeadRemedy> Builder::head_of_model(std::string_view between,
                                                          source::Span whole) {
  if (model_.extends && between.starts_with('"') && !model_.title) {
    const size_t name = model_.name.span.end;
    return HeadRemedy{"the title stands before `extends`",
                      {{range(name, name), fmt::format(" {}", between)}, {whole, ""}}};
  }
  const std::string base(only_word(between));
  if (base.empty() || model_.extends) return std::nullopt;
  return HeadRemedy{fmt::format("a model inherits with `extends`: `extends {}`", base),
                    {{whole, " extends " + base}}};
}

/// `stage of substage {`, `stage from "substage" {`.
std::optional<Builder::HeadRemedy> Builder::head_of_block(std::string_view between,
                                                          source::Span whole) {
  const bool over = between.starts_with("over");
  const auto rest = after_word(between, {"of", "from", "over", "by", "from:", "over:"});
  const bool parens = between.starts_with('(');
  const std::string name(only_word(rest ? *rest : parens ? between : std::string_view()));
  if (name.empty() && is_word(between) && level() != Level::file) {
    return HeadRemedy{
        fmt::format("remove `{0}`; the rules of a model are in `model {0} {{ … }}`", between), {}};
  }
  if (name.empty()) return std::nullopt;
  const std::string written = fmt::format("{} {}", over ? "over" : "from", name);
  (over ? over_ : from_) = word_in(name, whole);
  return HeadRemedy{fmt::format("write `{}`", written), {{whole, ' ' + written}}};
}

/// What to write in place of what is before the brace.
std::optional<Builder::HeadRemedy> Builder::head_remedy(Level block, const Token& found,
                                                        const Token& brace) {
  const size_t begin = look_.before_blanks(found.begin);
  const size_t end = look_.before_blanks(brace.begin);
  if (end <= found.begin) return std::nullopt;
  const std::string_view between = look_.slice(found.begin, end);
  const source::Span whole = range(begin, end);
  if (is_one_of(between, {"=", ":", ":=", "=>", "->", "()", "as", "is", "=="})) {
    return HeadRemedy{fmt::format("remove the `{}`", between), {{whole, ""}}};
  }
  if (found.begin == paren_head_) return HeadRemedy{};  // it was reported
  if ((block == Level::engine || block == Level::model) && between.front() == '=') {
    const std::string_view rest = between.substr(between.find_first_not_of("= "));
    if (rest.front() == '"') {
      return HeadRemedy{"remove the `=`", {{whole, fmt::format(" {}", rest)}}};
    }
  }
  switch (block) {
    case Level::test:
      return head_of_test(between, whole);
    case Level::model:
      return head_of_model(between, whole);
    case Level::rules:
      return head_of_block(between, whole);
    case Level::engine:
      if (between.front() == '.') {
        const std::string name =
            fmt::format("{}_{}", engine_.name.text, only_word(between.substr(1)));
        return HeadRemedy{fmt::format("a name has letters, digits, `_` and `-`: `{}`", name), {}};
      }
      if (between.starts_with("extends")) {
        return HeadRemedy{
            "engines inherit nothing: a model does (`model NAME extends …`), and "
            "engines share rules with `include`",
            {}};
      }
      break;
    default:
      break;
  }
  return std::nullopt;
}

/// After the `end` that closes, as in Ruby and Lua, the block whose head ends before `at`. None if
/// the block does not end so.
std::optional<size_t> Builder::past_end_word(size_t at) const {
  const size_t head = look_.before_blanks(at);
  const Token token = look_.token(past_indented(head));
  if (look_.text(token) != "end" || indent_of(token.begin) != indent_of(head)) return std::nullopt;
  if (!look_.first_on_line(token.begin) || !look_.first_on_line(look_.next(token).begin)) {
    return std::nullopt;
  }
  return token.end;
}

size_t Builder::missing_brace(source::Span seen, Level block,
                              const std::function<void(source::Span)>& open) {
  const Token first = look_.token(seen.begin);
  const bool body = block == Level::engine || block == Level::model;
  const bool next_line = look_.first_on_line(first.begin) || (body && is_block(first));
  const Token brace = next_line ? Token{} : brace_on_line(first);
  if (brace.kind != TokenKind::end) {
    if (const auto remedy = head_remedy(block, first, brace)) {
      const size_t end = look_.before_blanks(brace.begin);
      if (!remedy->help.empty() && is_first_report(first.begin)) {
        diag::Diagnostic& added =
            sink_.add(diag::code::syntax, range(first.begin, end), "`{`",
                      fmt::format("`{}`", excerpt(look_.slice(first.begin, end), longest_word)));
        added.help_ = remedy->help;
        if (!remedy->edits.empty()) added.fix = diag::Fix{true, remedy->edits};
      }
      open(range(brace));
      return brace.end;
    }
  }
  if (brace.kind == TokenKind::end) {
    if (const auto end = past_end_word(seen.begin)) {
      if (is_first_report(first.begin)) {
        const size_t head = look_.before_blanks(seen.begin);
        unexpected(first, "`{`")
            .help("a block is in braces, not closed by `end`: `{} {{ … }}`",
                  excerpt(look_.slice(look_.past_gap(line_begin(head)), head), longest_word));
      }
      abandon(*end);
    }
  }
  const size_t errors = sink_.errors();
  expected(seen.begin, "`{`");
  if (sink_.errors() > errors && sink_.last().help_.empty()) {
    const char sign = look_.byte(first.begin);
    const size_t end = look_.before_blanks(seen.begin);
    if (std::string_view(":=[(").find(sign) != std::string_view::npos && sign != '\0' &&
        brace.kind == TokenKind::end) {
      sink_.last().help("what belongs to it is in braces: `{} {{ … }}`",
                        excerpt(look_.slice(look_.past_gap(line_begin(end)), end), longest_word));
    } else {
      sink_.last().help("add `{{`").suggest(range(end, end), " {");
    }
  }
  if (brace.kind != TokenKind::end) {
    open(range(brace));
    return brace.end;
  }
  const std::string_view word = look_.text(first);
  const bool next_declaration =
      (is_file_keyword(word) && !is_metadata_keyword(word)) || (in_model_ && word == "model");
  const bool repaired = block == Level::rules && repair_ == Repair::brace;
  const bool goes_on = next_line || repaired;
  if (first.kind == TokenKind::end || !goes_on || next_declaration) abandon(first.begin);
  open(range(first.begin, first.begin));
  return first.begin;
}

}  // namespace kr::syntax
