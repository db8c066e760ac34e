// Whole numbers in texts.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace kr {

/// The number that is all of the text, without blanks or a plus.
template <class Number = int64_t>
std::optional<Number> integer_from(std::string_view text, int base = 10) noexcept {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  return error == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
}

}  // namespace kr
