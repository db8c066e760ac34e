// The mean and deviation of durations, from exact sums.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace kr::analyze {

struct Moments {
  __extension__ using Wide = unsigned __int128;

  int64_t count = 0;
  int64_t sum = 0;
  int64_t min = std::numeric_limits<int64_t>::max();
  int64_t max = 0;
  Wide squares = 0;

  void add(int64_t value) noexcept {
    ++count;
    sum += value;
    min = std::min(min, value);
    max = std::max(max, value);
    squares += Wide{static_cast<uint64_t>(value)} * static_cast<uint64_t>(value);
  }
  void add(const Moments& other) noexcept {
    count += other.count;
    sum += other.sum;
    min = std::min(min, other.min);
    max = std::max(max, other.max);
    squares += other.squares;
  }
  double mean() const noexcept {
    return count > 0 ? static_cast<double>(sum) / static_cast<double>(count) : 0;
  }
  /// Of the sample (n - 1); 0 for one.
  double deviation() const noexcept {
    if (count < 2) return 0;
    const Wide n = static_cast<Wide>(count),
               square = Wide{static_cast<uint64_t>(sum)} * static_cast<uint64_t>(sum);
    // (n·Σx² − (Σx)²) / n(n − 1): exact until the division, unless it exceeds 128 bits.
    Wide product = 0;
    const long double pairs = static_cast<long double>(count) * static_cast<long double>(count - 1);
    const long double variance =
        !__builtin_mul_overflow(n, squares, &product)
            ? static_cast<long double>(product - square) / pairs
            : (static_cast<long double>(n) * static_cast<long double>(squares) -
               static_cast<long double>(square)) /
                  pairs;
    return variance > 0 ? static_cast<double>(std::sqrt(variance)) : 0;
  }
};

}  // namespace kr::analyze
