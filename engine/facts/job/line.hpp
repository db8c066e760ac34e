// The line through points of which some are far off: Theil and Sen's, whose slope is the median of
// those of all pairs.
#pragma once

#include <cstdint>
#include <vector>

namespace kr::job {

struct Point {
  int64_t x;
  int64_t y;
};

/// y = height + slope * (x - zero).
struct Line {
  double slope = 0;
  int64_t zero = 0;  // the x in the middle
  int64_t height = 0;
  int64_t span = 0;       // of all x
  int64_t deviation = 0;  // the median one of points from the line

  int64_t rise(int64_t x) const noexcept;  // from `zero` to x
  /// Whether it rises (or falls) by more than noise does.
  bool is_steep() const noexcept;
};

/// Of many points evenly spaced ones are taken, so that it takes O(n). `points`: at least one.
Line fit_line(const std::vector<Point>& points);

/// Of an even number the smaller of both. Orders `values`, of which there is at least one, anew.
int64_t lower_median(std::vector<int64_t>& values);

}  // namespace kr::job
