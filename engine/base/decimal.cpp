#include "base/decimal.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/ascii.hpp"

namespace kr {
namespace {

constexpr int64_t most = std::numeric_limits<int64_t>::max();

bool push_digit(int64_t& value, int digit) {
  if (value > (most - digit) / 10) return false;
  value = value * 10 + digit;
  return true;
}

// `digits[.digits]` of at most 18 digits, as nearly all are. False: it is not that, or too large.
bool usual_number(std::string_view text, int exponent, int64_t& ns) noexcept {
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

// `e-05`, or nothing. Limited to a bound that no valid number reaches.
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

DecimalFault read_decimal(std::string_view text, int exponent, int64_t& value) noexcept {
  text = trimmed(text);
  if (text.empty() || text == "None") return DecimalFault::missing;
  const bool negative = text.front() == '-';
  if (negative) text.remove_prefix(1);
  const size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction = point == text.npos ? "0" : text.substr(point + 1);
  for (const std::string_view digits : {whole, fraction}) {
    if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit)) {
      return DecimalFault::not_a_number;
    }
  }
  return negative ? DecimalFault::negative : read_json_number(text, exponent, value);
}

DecimalFault read_json_number(std::string_view text, int exponent, int64_t& ns) noexcept {
  if (usual_number(text, exponent, ns)) return DecimalFault::none;
  const bool negative = text.front() == '-';
  if (negative) text.remove_prefix(1);
  const size_t mark = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, mark);
  const size_t point = std::min(digits.find('.'), digits.size());
  // The digits before the point, after it is moved.
  const int64_t kept = static_cast<int64_t>(point) + exponent + written_exponent(text.substr(mark));
  int64_t value = 0;
  int64_t seen = 0;
  bool zero = true;
  bool round_up = false;
  for (const char c : digits) {
    if (c == '.') continue;
    zero = zero && c == '0';
    if (seen < kept) {
      if (!push_digit(value, c - '0'))
        return negative ? DecimalFault::negative : DecimalFault::too_large;
    } else if (seen == kept) {
      round_up = c >= '5';
    }
    ++seen;
  }
  if (negative && !zero) return DecimalFault::negative;
  for (; seen < kept && value != 0; ++seen) {
    if (!push_digit(value, 0)) return DecimalFault::too_large;
  }
  if (round_up) {
    if (value == most) return DecimalFault::too_large;
    ++value;
  }
  ns = value;
  return DecimalFault::none;
}

}  // namespace kr
