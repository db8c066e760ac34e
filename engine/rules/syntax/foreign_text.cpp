#include "syntax/foreign_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "syntax/words.hpp"

namespace kr::syntax {
namespace {

constexpr Quotes all_quotes[] = {{"\"", "\""},
                                 {"'", "'"},
                                 {"`", "`"},
                                 {"\xe2\x80\x9c", "\xe2\x80\x9d"},
                                 {"\xe2\x80\x9d", "\xe2\x80\x9d"},
                                 {"\xe2\x80\x9e", "\xe2\x80\x9c"},
                                 {"\xe2\x80\x9e", "\xe2\x80\x9d"},
                                 {"\xe2\x80\x98", "\xe2\x80\x99"},
                                 {"\xe2\x80\x99", "\xe2\x80\x99"},
                                 {"&quot;", "&quot;"}};

}  // namespace

std::optional<Quoted> quoted_with(const Lookahead& look, size_t at, const Quotes& quotes) {
  const size_t begin = at + quotes.open.size();
  if (look.slice(at, begin) != quotes.open) return std::nullopt;
  const std::string_view rest = look.slice(begin, look.line_end(begin, longest_operand));
  for (size_t i = 0; i < rest.size(); ++i) {
    if (rest.substr(i).starts_with(quotes.close)) {
      if (i == 0) return std::nullopt;
      return Quoted{at, begin + i + quotes.close.size(), rest.substr(0, i), quotes.open == "\""};
    }
    if (rest[i] == '\\') ++i;
  }
  return std::nullopt;
}

std::optional<Quoted> quoted_at(const Lookahead& look, size_t at) {
  for (const Quotes& quotes : all_quotes) {
    if (auto found = quoted_with(look, at, quotes)) return found;
  }
  return std::nullopt;
}

std::string as_text(const Quoted& quoted) {
  return quoted.ours ? fmt::format("\"{}\"", quoted.inside) : quoted_text(quoted.inside);
}

size_t past_flags(const Lookahead& look, size_t at) {
  size_t end = at;
  while (look.byte(end) == 'i' || look.byte(end) == '$') ++end;
  return is_word_byte(look.byte(end)) ? at : end;
}

size_t past_qualified_name(const Lookahead& look, const Token& word) {
  size_t end = word.end;
  while (is_word_byte(look.byte(end)) || look.byte(end) == '.' ||
         (look.byte(end) == ':' && look.byte(end + 1) == ':') ||
         (look.byte(end) == ':' && look.byte(end - 1) == ':')) {
    ++end;
  }
  return look.slice(word.begin, end).find("::") < end - word.begin - 2 ? end : word.begin;
}

std::string regex_literal(std::string_view expression) {
  std::string text = "/";
  for (size_t i = 0; i < expression.size(); ++i) {
    if (expression[i] == '/') text += '\\';
    text += expression[i];
    if (expression[i] == '\\' && i + 1 < expression.size()) text += expression[++i];
  }
  return text + '/';
}

std::string joined(const Lookahead& look, size_t begin, size_t end,
                   const std::vector<std::string>& items) {
  const std::string text = fmt::format("{}", fmt::join(items, " | "));
  const size_t before = look.before_blanks(begin);
  const char sign = before > 0 ? look.byte(before - 1) : '\0';
  const bool alone = std::string_view(":=|(").find(sign) != std::string_view::npos &&
                     look.byte(look.past_gap(end)) != '&';
  return items.size() == 1 || alone ? text : '(' + text + ')';
}

}  // namespace kr::syntax
