#include "job/line.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "base/saturated.hpp"

namespace kr::job {
namespace {

/// 130,816 pairs: more make the slope no better than clocks are.
constexpr size_t max_points = 512;
/// Of fewer, the median of slopes is that of a few of them by chance.
constexpr size_t fewest_points = 8;
constexpr double noise_deviations = 3;

/// Half of the range, so that a difference of two has room.
constexpr int64_t far = std::numeric_limits<int64_t>::max() / 2;

double median_slope(const std::vector<Point>& points) {
  std::vector<double> slopes;
  slopes.reserve(points.size() * (points.size() - 1) / 2);
  for (size_t i = 0; i < points.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (points[i].x == points[k].x) continue;
      slopes.push_back(static_cast<double>(subtract_saturated(points[i].y, points[k].y)) /
                       static_cast<double>(subtract_saturated(points[i].x, points[k].x)));
    }
  }
  if (slopes.empty()) return 0;
  const auto middle = slopes.begin() + static_cast<std::ptrdiff_t>((slopes.size() - 1) / 2);
  std::nth_element(slopes.begin(), middle, slopes.end());
  return *middle;
}

}  // namespace

int64_t lower_median(std::vector<int64_t>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

int64_t Line::rise(int64_t x) const noexcept {
  const double rise = slope * static_cast<double>(subtract_saturated(x, zero));
  return std::llround(std::clamp(rise, -static_cast<double>(far), static_cast<double>(far)));
}

bool Line::is_steep() const noexcept {
  return std::abs(slope) * static_cast<double>(span) >
         noise_deviations * static_cast<double>(deviation);
}

Line fit_line(const std::vector<Point>& points) {
  Line line;
  const auto [least, most] = std::minmax_element(
      points.begin(), points.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
  line.span = subtract_saturated(most->x, least->x);
  line.zero = least->x + line.span / 2;
  if (points.size() >= fewest_points) {
    std::vector<Point> sample;
    const size_t count = std::min(points.size(), max_points);
    sample.reserve(count);
    for (size_t i = 0; i < count; ++i) sample.push_back(points[i * points.size() / count]);
    line.slope = median_slope(sample);
  }
  std::vector<int64_t> values;
  values.reserve(points.size());
  for (const Point& one : points) values.push_back(subtract_saturated(one.y, line.rise(one.x)));
  line.height = lower_median(values);
  for (int64_t& value : values) {
    value = subtract_saturated(std::max(value, line.height), std::min(value, line.height));
  }
  line.deviation = lower_median(values);
  return line;
}

}  // namespace kr::job
