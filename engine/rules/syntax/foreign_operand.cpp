#include "syntax/foreign_operand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/printable.hpp"
#include "syntax/foreign_text.hpp"
#include "syntax/words.hpp"

namespace kr::syntax {
namespace {

constexpr size_t items_of_list = 100;

std::string help_for_text(const std::string& text) {
  return fmt::format("write a text between double quotes: `{}`", excerpt(text, longest_shown));
}

std::string help_for_regex(const std::string& text) {
  return fmt::format("a regular expression is written between slashes: `{}`",
                     excerpt(text, longest_shown));
}

/// `'text'`, and the same between typographic quotes.
std::optional<ForeignOperand> quoted_operand(const Lookahead& look, size_t at) {
  const auto text = quoted_at(look, at);
  if (!text || text->ours) return std::nullopt;
  const size_t end = past_flags(look, text->end);
  const std::string instead = as_text(*text) + std::string(look.slice(text->end, end));
  return ForeignOperand{end, instead, help_for_text(instead)};
}

/// The raw string behind `R` or `r`: `"…"`, `"(…)"` of C++, `#"…"#` of Rust.
std::optional<Quoted> raw_string(const Lookahead& look, size_t at, char prefix) {
  if (prefix == 'R') {
    if (const auto cpp = quoted_with(look, at, {"\"(", ")\""})) return cpp;
  }
  if (look.byte(at) == '#') return quoted_with(look, at, {"#\"", "\"#"});
  return quoted_at(look, at);
}

/// `r"^gemm_\d+"`, `b"text"`, `i"text"`: a string with a prefix.
std::optional<ForeignOperand> prefixed_string(const Lookahead& look, const Token& word) {
  const std::string_view prefix = look.text(word);
  const bool raw = is_one_of(prefix, {"r", "R", "rb", "br", "rf", "fr", "re", "rx", "regex"});
  const bool plain = is_one_of(prefix, {"b", "f", "u", "s", "L", "U", "u8", "i"});
  if (!raw && !plain) return std::nullopt;
  const auto text = raw ? raw_string(look, word.end, prefix[0]) : quoted_at(look, word.end);
  if (!text) return std::nullopt;
  const bool expression =
      raw && (prefix.size() > 2 || is_one_of(prefix, {"re", "rx"}) ||
              text->inside.find_first_of("\\^$.*+?()[]{}|") != std::string_view::npos);
  if (expression) {
    const std::string instead = regex_literal(text->inside);
    return ForeignOperand{text->end, instead, help_for_regex(instead)};
  }
  const std::string instead = as_text(*text) + (prefix == "i" ? "i" : "");
  return ForeignOperand{
      text->end, instead,
      fmt::format("a text has no prefix: write `{}`", excerpt(instead, longest_shown))};
}

/// An item of a list.
std::optional<Token> item_at(const Lookahead& look, size_t at, std::string& text) {
  const Token token = look.token(at);
  if (token.kind == TokenKind::string || token.kind == TokenKind::regex) {
    text = look.text(token);
    return token;
  }
  const auto quoted = quoted_at(look, token.begin);
  if (!quoted) return std::nullopt;
  text = as_text(*quoted);
  return Token{TokenKind::string, quoted->begin, quoted->end};
}

ForeignOperand alternatives(const Lookahead& look, size_t begin, size_t end,
                            const std::vector<std::string>& items) {
  const std::string text = joined(look, begin, end, items);
  const std::string shown = excerpt(text, longest_shown);
  return {end, text,
          items.size() == 1 ? fmt::format("write it without brackets: `{}`", shown)
                            : fmt::format("alternatives are joined with `|`: `{}`", shown)};
}

/// `["a", "b"]`, `{"a", "b"}`.
std::optional<ForeignOperand> list(const Lookahead& look, size_t at) {
  const char close = look.byte(at) == '[' ? ']' : '}';
  std::vector<std::string> items;
  size_t end = at + 1;
  for (size_t i = 0; i < items_of_list; ++i) {
    std::string text;
    const auto item = item_at(look, end, text);
    if (!item) return std::nullopt;
    items.push_back(text);
    end = look.past_gap(item->end);
    if (look.byte(end) == ',' || look.byte(end) == '|') end = look.past_gap(end + 1);
    if (look.byte(end) == close) break;
  }
  if (look.byte(end) != close) return std::nullopt;
  return alternatives(look, at, end + 1, items);
}

/// `- "a"` on each line.
std::optional<ForeignOperand> list_of_lines(const Lookahead& look, size_t at) {
  std::vector<std::string> items;
  size_t end = at;
  for (size_t i = 0; i < items_of_list; ++i) {
    const size_t dash = look.past_gap(end);
    if (look.byte(dash) != '-' || !look.first_on_line(dash)) break;
    std::string text;
    const auto item = item_at(look, dash + 1, text);
    if (!item || look.first_on_line(item->begin)) break;
    items.push_back(text);
    end = item->end;
  }
  if (items.empty()) return std::nullopt;
  ForeignOperand made = alternatives(look, at, end, items);
  if (items.size() == 1) made.help = fmt::format("remove the `-`: write `{}`", made.instead);
  return made;
}

/// `$name`, `${name}`.
std::optional<ForeignOperand> variable(const Lookahead& look, size_t at) {
  const bool braces = look.byte(at + 1) == '{';
  const size_t begin = at + (braces ? 2 : 1);
  if (!is_word_byte(look.byte(begin)) || look.byte(begin) == '-') return std::nullopt;
  const Token word = look.token(begin);
  if (braces && look.byte(word.end) != '}') return std::nullopt;
  const std::string name(look.text(word));
  return ForeignOperand{word.end + (braces ? 1 : 0), name,
                        fmt::format("a pattern is used by its name: `{}`", name)};
}

/// `*` or `_` as a whole expression.
std::optional<ForeignOperand> wildcard(const Lookahead& look, const Token& token) {
  const size_t before = look.before_blanks(token.begin);
  const Token next = look.next(token);
  const bool whole = before > 0 && look.byte(before - 1) == ':' &&
                     (next.kind == TokenKind::end || look.first_on_line(next.begin) ||
                      look.byte(next.begin) == '}');
  if (!whole) return std::nullopt;
  return ForeignOperand{token.end, "otherwise",
                        "write `otherwise` for all names that no rule matches"};
}

std::optional<ForeignOperand> qualified_name(const Lookahead& look, const Token& word) {
  const size_t end = past_qualified_name(look, word);
  if (end == word.begin) return std::nullopt;
  const std::string text = quoted_text(look.slice(word.begin, end));
  return ForeignOperand{
      end, text, fmt::format("a name is written in quotes: `{}`", excerpt(text, longest_shown))};
}

std::optional<ForeignOperand> foreign_word(const Lookahead& look, const Token& word) {
  const std::string_view text = look.text(word);
  const bool adjoins = look.byte(word.end) != ' ' && look.byte(word.end) != '\n';
  if (adjoins) {
    if (auto found = prefixed_string(look, word)) return found;
    if (auto found = qualified_name(look, word)) return found;
  }
  if (text == "_") return wildcard(look, word);
  return foreign_word_operand(look, word);
}

}  // namespace

std::optional<ForeignOperand> foreign_operand(const Lookahead& look, size_t at, bool chains) {
  switch (look.byte(at)) {
    case '[':
    case '{':
      return chains ? std::nullopt : list(look, at);
    case '-':
      return look.first_on_line(at) ? list_of_lines(look, at) : std::nullopt;
    case '*':
      return wildcard(look, look.token(at));
    case '$':
      return variable(look, at);
    case '\'':
    case '`':
    case '\xe2':
    case '&':
      return quoted_operand(look, at);
    default:
      break;
  }
  const Token word = look.token(at);
  const bool any = chains && look.text(word) == "_";
  return word.kind == TokenKind::word && !any ? foreign_word(look, word) : std::nullopt;
}

}  // namespace kr::syntax
