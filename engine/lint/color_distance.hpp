// How different two colours look.
#pragma once

#include <string_view>

namespace kr::lint {

/// The difference of two colours `#rrggbb` by CIEDE2000 (1 is about what an eye can just see side
/// by side).
double color_distance(std::string_view a, std::string_view b);

/// Below it, two labels of a chart are hard to tell apart: they do not lie side by side, and the
/// screen is not calibrated.
inline constexpr double similar_colors = 5.0;

}  // namespace kr::lint
