#include "base/natural_order.hpp"

#include <cstddef>

namespace kr {
namespace {

bool is_order_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

/// Takes the digits at the beginning of a text, and returns them without leading zeros.
std::string_view take_number(std::string_view& text) noexcept {
  size_t end = 0;
  while (end < text.size() && is_order_digit(text[end])) ++end;
  std::string_view number = text.substr(0, end);
  text.remove_prefix(end);
  while (!number.empty() && number.front() == '0') number.remove_prefix(1);
  return number;
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) noexcept {
  std::string_view x = a, y = b;
  while (!x.empty() && !y.empty()) {
    if (is_order_digit(x.front()) && is_order_digit(y.front())) {
      const std::string_view number = take_number(x), other = take_number(y);
      if (number.size() != other.size()) return number.size() < other.size();
      if (const int order = number.compare(other); order != 0) return order < 0;
      continue;
    }
    const auto first = static_cast<unsigned char>(x.front());
    const auto second = static_cast<unsigned char>(y.front());
    if (first != second) return first < second;
    x.remove_prefix(1);
    y.remove_prefix(1);
  }
  if (x.empty() != y.empty()) return x.empty();
  return a < b;
}

}  // namespace kr
