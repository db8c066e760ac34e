// What is beside and below a roofline: what colours, shapes and areas mean, and what is not drawn.
#pragma once

#include <string>
#include <vector>

#include "picture/roofline_scene.hpp"
#include "picture/text.hpp"

namespace kr::picture {

inline constexpr double roofline_sheet_width = 1120, roofline_edge = 24;
inline constexpr double roofline_legend_width = 220;
inline constexpr double roofline_text_size = 11;

std::string roofline_color(const Roofline& roofline, const std::string& label);
std::string roofline_label_title(const Roofline& roofline, const std::string& label);

/// Of a point among `points` of which the largest has `max_ns`: the area is the time, but for
/// points that would be too small to see. `scale`: of a smaller chart.
double roofline_radius(int64_t ns, int64_t max_ns, size_t points, double scale = 1);

/// To the right of the plot. `drawn`: places of the points, by descending time.
void add_roofline_legend(const Roofline& roofline, const std::vector<size_t>& drawn,
                         RooflineScene& scene, const TextWidth& width_of);
/// Below the plot and the legend; sets the height of the scene.
void add_roofline_notes(const Roofline& roofline, const std::vector<std::string>& names,
                        RooflineScene& scene, const TextWidth& width_of);

}  // namespace kr::picture
