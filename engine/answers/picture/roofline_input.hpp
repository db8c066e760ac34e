// What a roofline draws of its input, and what it says instead of drawing.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "picture/roofline.hpp"

namespace kr::picture {

/// Roofs of one kind with the same height (within half a percent): one line.
struct RoofLine {
  RooflineRoof::Kind kind = RooflineRoof::Kind::compute;
  double per_second = 0;
  std::string text;  // `FP16 tensor, BF16 tensor 989 TFLOP/s`
};
/// The highest first; those that are not known are left out.
std::vector<RoofLine> roof_lines(const std::vector<RooflineRoof>& roofs);

/// Precisions of points that have no compute roof: these points may be above the others' roofs.
std::set<std::string> missing_roofs(const Roofline& roofline);

/// The places of the points that have a place in the picture, by descending time.
std::vector<size_t> drawn_points(const std::vector<RooflinePoint>& points);

/// `1.5 ms`; `no duration` of 0, which a kernel has if nothing measured its time.
std::string point_time(int64_t total_ns);

inline constexpr size_t longest_point_name = 34;
/// How points are called in the picture, by place: short, distinct, with the precision where a
/// kernel has several points.
std::vector<std::string> point_names(const std::vector<RooflinePoint>& points, size_t width);

/// Sentences below the picture: where the roofs are from, which are missing, which points are not
/// drawn and why. `names`: of the points.
std::vector<std::string> roofline_notes(const Roofline& roofline,
                                        const std::vector<std::string>& names);

}  // namespace kr::picture
