// The sum, mean, median, deviation and extremes of values in groups, all at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analyze/moments.hpp"
#include "base/error.hpp"
#include "base/growing_array.hpp"

namespace kr::analyze {

struct Spread {
  Moments moments;
  double median = 0;  // the mean of the two in the middle of an even number; 0 of none
};

/// Reorders the values.
inline double median_of(std::span<int64_t> values) noexcept {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  const auto upper = static_cast<double>(*middle);
  if (values.size() % 2 != 0) return upper;
  const auto lower = static_cast<double>(*std::max_element(values.begin(), middle));
  return lower + (upper - lower) / 2;
}

/// `each(add)` calls `add(group, value)` for every value, and is called twice. Memory: 8 bytes per
/// value while it runs. Throws Error if a value is negative, or all together exceed 64 bits.
template <class Each>
std::vector<Spread> spreads(size_t groups, const Each& each) {
  std::vector<Spread> all(groups);
  int64_t total = 0;
  each([&](size_t group, int64_t value) {
    if (value < 0 || __builtin_add_overflow(total, value, &total)) {
      throw Error("", "the sum of times or sizes does not fit in 64 bits");
    }
    all[group].moments.add(value);
  });
  std::vector<size_t> ends(groups);
  size_t end = 0;
  for (size_t i = 0; i < groups; ++i) {
    ends[i] = end;  // moves to the end of the group as it is filled
    end += static_cast<size_t>(all[i].moments.count);
  }
  GrowingArray<int64_t> values;
  int64_t* const first = values.extend(end);
  each([&](size_t group, int64_t value) { first[ends[group]++] = value; });
  for (size_t i = 0; i < groups; ++i) {
    const auto count = static_cast<size_t>(all[i].moments.count);
    all[i].median = median_of({first + (ends[i] - count), count});
  }
  return all;
}

}  // namespace kr::analyze
