// Classes of ASCII characters, and case. Unlike <cctype>, they take any byte and know no locale.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace kr {

constexpr bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

constexpr bool is_upper(char c) noexcept {
  return c >= 'A' && c <= 'Z';
}

constexpr bool is_lower(char c) noexcept {
  return c >= 'a' && c <= 'z';
}

constexpr bool is_letter(char c) noexcept {
  return is_lower(c) || is_upper(c);
}

/// What `\w` is in regular expressions.
constexpr bool is_identifier_byte(char c) noexcept {
  return is_letter(c) || is_digit(c) || c == '_';
}

/// Whether the text contains the word as a whole word.
constexpr bool has_word(std::string_view text, std::string_view word) noexcept {
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool begins = at == 0 || !is_identifier_byte(text[at - 1]);
    if (begins && (end == text.size() || !is_identifier_byte(text[end]))) return true;
  }
  return false;
}

/// A space, a tab, or an end of line.
constexpr bool is_blank(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

constexpr std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

constexpr char lower(char c) noexcept {
  return is_upper(c) ? static_cast<char>(c + ('a' - 'A')) : c;
}

inline std::string lowered(std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(), lower);
  return small;
}

constexpr bool same_ignoring_case(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

constexpr bool ends_with_ignoring_case(std::string_view text, std::string_view end) noexcept {
  return text.size() >= end.size() &&
         same_ignoring_case(text.substr(text.size() - end.size()), end);
}

/// Of a hexadecimal digit; -1 for any other character.
constexpr int hex_value(char c) noexcept {
  if (is_digit(c)) return c - '0';
  const char small = lower(c);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

}  // namespace kr
