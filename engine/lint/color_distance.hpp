// The visual difference of two colours.
#pragma once

#include <string_view>

namespace kr::lint {

/// The difference of two colours `#rrggbb` by CIEDE2000. About 1 is just visible side by side.
double color_distance(std::string_view a, std::string_view b);

/// Below this difference, two labels of a chart are hard to distinguish: they are not side by side,
/// and the screen is not calibrated.
inline constexpr double similar_colors = 5.0;

}  // namespace kr::lint
