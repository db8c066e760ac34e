// Classes of ASCII characters. Unlike <cctype>, they take any byte and know no locale.
#pragma once

namespace kr {

constexpr bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

/// A space, a tab, or an end of line.
constexpr bool is_blank(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

}  // namespace kr
