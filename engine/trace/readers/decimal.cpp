#include "trace/readers/decimal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/ascii.hpp"

namespace kr::trace {
namespace {

constexpr int64_t most = std::numeric_limits<int64_t>::max();

bool push_digit(int64_t& value, int digit) {
  if (value > (most - digit) / 10) return false;
  value = value * 10 + digit;
  return true;
}

std::string_view trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// `digits[.digits]` of at most 18 digits, as nearly all are. False: it is not that, or too large.
bool usual_time(std::string_view text, int exponent, int64_t& ns) noexcept {
  constexpr std::array<int64_t, 19> powers = [] {
    std::array<int64_t, 19> all{1};
    for (size_t i = 1; i < all.size(); ++i) all[i] = all[i - 1] * 10;
    return all;
  }();
  if (text.size() >= powers.size()) return false;
  int64_t value = 0;
  int fraction = 0;
  bool in_fraction = false;
  for (const char c : text) {
    if (is_digit(c)) {
      value = value * 10 + (c - '0');
      fraction += in_fraction ? 1 : 0;
    } else if (c == '.') {
      in_fraction = true;
    } else {
      return false;
    }
  }
  if (fraction <= exponent) {
    return !__builtin_mul_overflow(value, powers[static_cast<size_t>(exponent - fraction)], &ns);
  }
  const int64_t unit = powers[static_cast<size_t>(fraction - exponent)];
  ns = value / unit + (value % unit >= unit / 2 ? 1 : 0);
  return true;
}

// `e-05`, or nothing. What is beyond any use is held to a bound that is too.
int64_t written_exponent(std::string_view text) {
  constexpr int64_t bound = int64_t{1} << 40;
  if (text.empty()) return 0;
  text.remove_prefix(1);
  const bool negative = text.front() == '-';
  if (negative || text.front() == '+') text.remove_prefix(1);
  int64_t value = 0;
  for (const char c : text) value = std::min(value * 10 + (c - '0'), bound);
  return negative ? -value : value;
}

}  // namespace

TimeFault time_from_decimal(std::string_view text, int exponent, int64_t& ns) noexcept {
  text = trim(text);
  if (text.empty() || text == "None") return TimeFault::missing;
  const bool negative = text.front() == '-';
  if (negative) text.remove_prefix(1);
  const size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction = point == text.npos ? "" : text.substr(point + 1);
  if (whole.empty() || (point != text.npos && fraction.empty())) return TimeFault::not_a_number;
  for (const char c : whole) {
    if (!is_digit(c)) return TimeFault::not_a_number;
  }
  for (const char c : fraction) {
    if (!is_digit(c)) return TimeFault::not_a_number;
  }
  if (negative) return TimeFault::negative;
  int64_t value = 0;
  for (const char c : whole) {
    if (!push_digit(value, c - '0')) return TimeFault::too_large;
  }
  for (int i = 0; i < exponent; ++i) {
    const size_t at = static_cast<size_t>(i);
    if (!push_digit(value, at < fraction.size() ? fraction[at] - '0' : 0)) {
      return TimeFault::too_large;
    }
  }
  // The first digit that is dropped decides: five or more is half or more.
  const size_t dropped = static_cast<size_t>(exponent);
  if (dropped < fraction.size() && fraction[dropped] >= '5') {
    if (value == most) return TimeFault::too_large;
    ++value;
  }
  ns = value;
  return TimeFault::none;
}

TimeFault time_from_number(std::string_view text, int exponent, int64_t& ns) noexcept {
  if (usual_time(text, exponent, ns)) return TimeFault::none;
  const bool negative = text.front() == '-';
  if (negative) text.remove_prefix(1);
  const size_t mark = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, mark);
  const size_t point = std::min(digits.find('.'), digits.size());
  // So many digits stand before the point, once it is moved.
  const int64_t kept = static_cast<int64_t>(point) + exponent + written_exponent(text.substr(mark));
  int64_t value = 0;
  int64_t seen = 0;
  bool zero = true;
  bool round_up = false;
  for (const char c : digits) {
    if (c == '.') continue;
    zero = zero && c == '0';
    if (seen < kept) {
      if (!push_digit(value, c - '0')) return negative ? TimeFault::negative : TimeFault::too_large;
    } else if (seen == kept) {
      round_up = c >= '5';
    }
    ++seen;
  }
  if (negative && !zero) return TimeFault::negative;
  for (; seen < kept && value != 0; ++seen) {
    if (!push_digit(value, 0)) return TimeFault::too_large;
  }
  if (round_up) {
    if (value == most) return TimeFault::too_large;
    ++value;
  }
  ns = value;
  return TimeFault::none;
}

std::string describe(TimeFault fault, std::string_view column, std::string_view text) {
  switch (fault) {
    case TimeFault::missing:
      return fmt::format("`{}` is missing", column);
    case TimeFault::negative:
      return fmt::format("`{}` is negative: {}", column, shown_text(text));
    case TimeFault::not_a_number:
      return fmt::format("`{}` is not a number: `{}`", column, shown_text(text));
    case TimeFault::too_large:
      return fmt::format("`{}` does not fit in 64 bits of nanoseconds: {}", column,
                         shown_text(text));
    case TimeFault::none:
      break;
  }
  return {};
}

std::string shown_text(std::string_view text) {
  constexpr size_t limit = 60;
  std::string out;
  for (const char c : text.substr(0, limit)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return text.size() > limit ? out + "…" : out;
}

}  // namespace kr::trace
