// Colours by how they look: Oklab (Ottosson 2020), where equal steps look equally large.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace kr::picture {

struct Oklab {
  double lightness = 0;  // 0 black, 1 white
  double a = 0;
  double b = 0;
};

/// `#rrggbb` by lightness, chroma and hue in degrees, bounded to what sRGB has.
std::string oklch(double lightness, double chroma, double hue);

/// Of `#rrggbb`.
Oklab oklab(std::string_view color);

/// How far apart two colours look: 0.02 is about what an eye can just see side by side, black and
/// white are 1.
double color_difference(const Oklab& one, const Oklab& other);

/// A colour as eyes see it that have all kinds of cones, or lack one: protanopia, deuteranopia,
/// tritanopia.
using Looks = std::array<Oklab, 4>;
Looks looks(std::string_view color);
/// The least difference of two colours over the kinds of vision (see Looks).
double min_difference(const Looks& one, const Looks& other);

/// Whether black reads better than white on it; either has a contrast of 4.5 then.
bool is_light(std::string_view color);

/// The colour of the rest, and of no label.
inline constexpr const char* grey = "#8d939c";

}  // namespace kr::picture
