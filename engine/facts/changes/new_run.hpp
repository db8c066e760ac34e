// Whether one new run is outside of what several earlier runs show: an interval of prediction.
//
// A further one of n values that are normal, with the mean m and the standard deviation s of a
// sample, lies within m ± t(0.975, n − 1) · s · √(1 + 1/n) in 95 of 100 cases (G. J. Hahn, W. Q.
// Meeker, Statistical Intervals, 1991, chapter 4). Times of runs differ by factors, so it is made
// of their logarithms; of values some of which are 0, of the values themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "changes/median_change.hpp"

namespace kr::changes {

/// With fewer, what the earlier runs show depends more on the shape of their noise than on them: of
/// runs that have one of two speeds, one in eight would be called different from three equal ones.
inline constexpr size_t min_earlier_runs = 5;

/// The quantile 0.975 of Student's t, for 4 degrees of freedom or more.
double student_t975(size_t degrees);

/// How far the new run is from the earlier ones. The interval contains 0 if and only if the run is
/// within what they show. Nothing if they are too few.
std::optional<MedianChange> new_run_change(const std::vector<int64_t>& earlier, int64_t value);

}  // namespace kr::changes
