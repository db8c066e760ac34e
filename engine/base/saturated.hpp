// Sums and differences that stay at the ends of the range instead of overflowing.
#pragma once

#include <cstdint>
#include <limits>

namespace kr {

constexpr int64_t add_saturated(int64_t a, int64_t b) noexcept {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

constexpr int64_t subtract_saturated(int64_t a, int64_t b) noexcept {
  int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return a < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

}  // namespace kr
