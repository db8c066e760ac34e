// Builder: what was meant by a token that begins no item where it stands.
#include <algorithm>

#include "base/printable.hpp"
#include "syntax/builder.hpp"
#include "syntax/words.hpp"

namespace kr::syntax {
namespace {

constexpr size_t longest_line = 60;  // and of a remedy

/// What some write before the dimension of a block.
bool is_kind_of_block(std::string_view word) {
  constexpr std::string_view words[] = {"dimension", "rules", "block", "section", "group"};
  return std::ranges::find(words, word) != std::end(words);
}

}  // namespace

bool Builder::remedy_for_stray(diag::Diagnostic& added, const Token& token) const {
  const Token next = look_.next(token);
  switch (level()) {
    case Level::test:
      return remedy_in_test(added, token);
    case Level::rules:
      return remedy_in_rules(added, token);
    case Level::file:
      return remedy_in_file(added, token);
    case Level::costs:
      return remedy_in_costs(added, token);
    case Level::engine:
    case Level::model:
      break;
    case Level::labels:
      return false;
  }
  // `dimension substage {`
  if (!is_word(token) || !is_word(next) || look_.byte(look_.next(next).begin) != '{') return false;
  added.help("remove it: a block begins with its dimension: `{} {{`", look_.text(next))
      .replace(range(token.begin, next.begin), "");
  return true;
}

bool Builder::remedy_in_file(diag::Diagnostic& added, const Token& token) const {
  if (!is_word(token)) return false;
  const std::string_view word = look_.text(token);
  const Token next = look_.next(token);
  if (look_.byte(next.begin) == '=' && next.end == next.begin + 1 &&
      !look_.first_on_line(next.begin)) {
    added.help("write `pattern {} = …`", excerpt(word, longest_word))
        .replace(range(token.begin, token.begin), "pattern ");
    return true;
  }
  if (word == "include") {
    added.help("a file uses others by `use std.llm` or `use \"./mine.kr\"`");
    return true;
  }
  return false;
}

bool Builder::remedy_in_costs(diag::Diagnostic& added, const Token& token) const {
  if (look_.byte(token.begin) == '^') {
    added.help("formulas have no powers: write `K*K`");
    return true;
  }
  if (!is_word(token)) return false;
  const auto name = foreign_operand(look_, token.begin, false);
  const std::string text = name ? name->instead : fmt::format("\"{}\"", look_.text(token));
  added.help("the name of an op is written in quotes: `{}`", excerpt(text, longest_line))
      .replace(range(token.begin, name ? name->end : token.end), text);
  return true;
}

bool Builder::remedy_in_test(diag::Diagnostic& added, const Token& token) const {
  const Token next = look_.next(token);
  const std::string_view word = look_.text(token);
  if (!look_.first_on_line(token.begin) && is_one_of(word, {"and", "or", "&", "|"})) {
    added.help("expected labels are separated by `,`")
        .replace(range(look_.before_blanks(token.begin), token.end), ",");
    return true;
  }
  if (!is_word(token)) return false;
  const Token arrow = look_.next(next);
  const Token name = look_.next(arrow);
  if (next.kind == TokenKind::string && !look_.first_on_line(next.begin)) {
    added.help("remove it: a line of a test begins with a name in quotes")
        .replace(range(token.begin, next.begin), "");
  } else if (look_.text(arrow) == "=>" && name.kind == TokenKind::string) {
    const std::string line = fmt::format("{} => {} {}", look_.text(name), word, look_.text(next));
    added.help("the name is before the arrow: `{}`", excerpt(line, longest_line))
        .replace(range(token.begin, name.end), line);
  } else {
    added.help("write the name of an operation in quotes: `\"{}\"`", excerpt(word, longest_word));
    if (is_one_of(look_.text(next), {"=>", "->", ">", "within"})) {
      added.replace(range(token), fmt::format("\"{}\"", word));
    }
  }
  return true;
}

bool Builder::remedy_in_rules(diag::Diagnostic& added, const Token& token) const {
  const Token next = look_.next(token);
  const std::string_view word = look_.text(token);
  if (word == "-" && begins_rule(next)) {
    added.help("remove it: rules stand one below the other")
        .replace(range(token.begin, next.begin), "");
    return true;
  }
  if (word == "[") {
    added.help("the arguments of an op are in parentheses: `op \"aten::mm\" ([_, K])`");
    return true;
  }
  if (word == "end") {
    added.help("a block ends with `}}`");
    return true;
  }
  if (!is_word(token) || !begins_rule(next)) return false;
  const bool introduces = is_one_of(word, {"rule", "label", "case", "when", "if", "def"});
  if (introduces || look_.first_on_line(next.begin)) {
    added.help("remove it: a rule is `LABEL: EXPRESSION`")
        .replace(range(token.begin, next.begin), "");
  } else if (is_word(next)) {
    const std::string label = fmt::format("\"{} {}\"", word, look_.text(next));
    added.help("a label of two words is written in quotes: `{}`", excerpt(label, longest_line))
        .suggest(range(token.begin, next.end), label);
  } else {
    added.help("a rule is `LABEL: EXPRESSION`");
  }
  return true;
}

// Items that are almost right: reported, and passed over.

/// `from std import llm` of Python.
bool Builder::is_import(const Token& token) const {
  const Token import = look_.next(look_.next(token));
  return level() == Level::file && look_.text(token) == "from" && look_.text(import) == "import" &&
         is_word(look_.next(import));
}

/// The end of the lines after that of `at` that are indented deeper.
size_t Builder::past_indented(size_t at) const {
  const size_t indent = indent_of(at);
  size_t end = look_.line_end(at);
  for (Token token = look_.token(end);
       token.kind != TokenKind::end && indent_of(token.begin) > indent; token = look_.token(end)) {
    if (text_[token.begin] == '}') break;
    end = look_.line_end(token.begin);
  }
  return end;
}

/// `substage:` above deeper lines; `substage = {`, `stage of substage {`.
bool Builder::stray_block(const Token& token, size_t& at) {
  const std::string_view word = look_.text(token);
  if (!is_word(token) || is_keyword(word) || is_kind_of_block(word) || word == "refine") {
    return false;
  }
  const Token sign = look_.next(token);
  const Token after = look_.next(sign);
  if (look_.first_on_line(sign.begin)) return false;
  if (look_.byte(sign.begin) == ':' && look_.first_on_line(after.begin) &&
      after.kind != TokenKind::end && indent_of(after.begin) > indent_of(token.begin)) {
    const size_t end = past_indented(token.begin);
    const size_t close = look_.before_blanks(end);
    if (is_first_report(token.begin)) {
      const std::string brace = '\n' + std::string(indent_of(token.begin), ' ') + '}';
      sink_.add(diag::code::syntax, range(sign), "`{`", "`:`")
          .help("a block is in braces: `{} {{ … }}`", excerpt(word, 40))
          .fix = diag::Fix{false, {{range(sign), " {"}, {range(close, close), brace}}};
    }
    at = end;
    return true;
  }
  const bool rule = begins_rule(token) && look_.byte(after.begin) != '{';
  const Token brace = brace_on_line(sign);
  if (rule || brace.kind == TokenKind::end) return false;
  // Of more words nobody knows what they are.
  Token last = sign;
  for (size_t i = 0; i < 2 && look_.next(last).begin < brace.begin; ++i) last = look_.next(last);
  if (sign.begin < brace.begin && look_.next(last).begin != brace.begin) return false;
  repair(Repair::brace, token.begin);
  return true;
}

/// `author: "me"`.
bool Builder::stray_metadata(const Token& token, size_t& at) {
  const Token sign = look_.next(token);
  const Token text = look_.next(sign);
  const bool wrong = is_metadata_keyword(look_.text(token)) && text.kind == TokenKind::string &&
                     (look_.byte(sign.begin) == ':' || look_.byte(sign.begin) == '=');
  if (!wrong || !is_first_report(token.begin)) return false;
  unexpected(sign, "a text in quotes")
      .help("remove the `{}`", look_.text(sign))
      .replace(range(look_.before_blanks(sign.begin), sign.end), "");
  at = text.end;
  return true;
}

/// A `refine` that the grammar does not know: `refine gemm: {`, `refine gemm into {`.
bool Builder::stray_refine(const Token& token, size_t& at) {
  if (look_.text(token) != "refine") return false;
  const Token label = look_.next(token);
  const Token brace = brace_on_line(label);
  if (brace.kind == TokenKind::end || look_.byte(label.begin) == ':') return false;
  const Token wrong = look_.next(label);
  const bool named = is_word(label) && wrong.begin < brace.begin;
  const source::Span rest =
      named ? range(wrong.begin, look_.before_blanks(brace.begin)) : range(label);
  const std::string_view written = look_.slice(rest.begin, rest.end);
  if (is_first_report(token.begin)) {
    diag::Diagnostic& added =
        sink_.add(diag::code::syntax, rest, named ? "`{`" : "a label after `refine`",
                  fmt::format("`{}`", excerpt(written, 40)));
    added.help("a label is split by `refine LABEL {{ NEW: EXPRESSION … }}`");
    constexpr std::string_view signs[] = {":", "=", "into", "as", "by", "with"};
    if (named && std::ranges::find(signs, written) != std::end(signs)) {
      added.replace(range(label.end, brace.begin), " ");
    }
  }
  at = past_block(token.begin);
  return true;
}

void Builder::stray_outer(const Token& token) {
  const bool nested = is_block(token) && look_.first_on_line(token.begin) &&
                      indent_of(token.begin) > braces_.back().indent;
  std::string_view help = "close the block before it";
  if (look_.text(token) == "use") {
    help = "`use` stands at the top of a file; `include` puts in the rules of a table";
  } else if (nested && !is_body_keyword(look_.text(token))) {
    help =
        "to split a label, write `refine LABEL { … }`; the block of another dimension comes after "
        "the `}` of this one";
  }
  report_misplaced(token, "inside a block of rules", help);
}

/// `"gemm" => gemm`: the label is last.
bool Builder::reversed_rule(const Token& token, size_t& at) {
  const Token arrow = look_.next(token);
  const Token label = look_.next(arrow);
  const Token after = look_.next(label);
  const bool reversed = token.kind == TokenKind::string &&
                        is_one_of(look_.text(arrow), {"=>", "->"}) && is_word(label) &&
                        !look_.first_on_line(label.begin) &&
                        (after.kind == TokenKind::end || look_.first_on_line(after.begin));
  if (!reversed || !is_first_report(token.begin)) return false;
  const std::string rule = fmt::format("{}: {}", look_.text(label), look_.text(token));
  sink_
      .add(diag::code::syntax, range(token.begin, label.end), "a label and `:`",
           look_.describe(token.begin))
      .help("the label stands before: `{}`", excerpt(rule, 60))
      .replace(range(token.begin, label.end), rule);
  at = label.end;
  return true;
}

/// `if "gemm" then gemm`.
bool Builder::conditional_rule(const Token& token, size_t& at) {
  if (!is_one_of(look_.text(token), {"if", "when"})) return false;
  const size_t end = look_.line_end(token.begin, guess_bytes);
  Token word = look_.next(token);
  const size_t begin = word.begin;
  while (word.begin < end && !is_one_of(look_.text(word), {"then", "=>", "->"})) {
    word = look_.next(word);
  }
  const Token label = look_.next(word);
  if (word.begin >= end || label.begin >= end || !is_first_report(token.begin)) return false;
  const std::string rule =
      fmt::format("{}: {}", look_.text(label), look_.slice(begin, look_.before_blanks(word.begin)));
  sink_.add(diag::code::syntax, range(token), "a label and `:`", look_.describe(token.begin))
      .help("a rule is `LABEL: EXPRESSION`: `{}`", excerpt(rule, 60))
      .replace(range(token.begin, label.end), rule);
  at = end;
  return true;
}

/// `color: "#4e79a7"`.
bool Builder::stray_color(const Token& token, size_t& at) {
  const Token sign = look_.next(token);
  const Token color = look_.next(sign);
  const bool colored = look_.text(token) == "color" && color.kind == TokenKind::string &&
                       (look_.byte(sign.begin) == ':' || look_.byte(sign.begin) == '=');
  if (!colored || !is_first_report(token.begin)) return false;
  sink_
      .add(diag::code::syntax, range(sign), "a colour in quotes after `color`",
           fmt::format("`{}`", look_.text(sign)))
      .help("remove it: the colour follows `color`")
      .replace(range(look_.before_blanks(sign.begin), sign.end), "");
  at = color.end;
  return true;
}

}  // namespace kr::syntax
