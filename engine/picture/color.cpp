#include "picture/color.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/ascii.hpp"
#include "base/check.hpp"

namespace kr::picture {
namespace {

/// One channel of linear light as sRGB's byte.
int channel(double linear) {
  const double bounded = std::fmin(1.0, std::fmax(0.0, linear));
  const double encoded =
      bounded <= 0.0031308 ? 12.92 * bounded : 1.055 * std::pow(bounded, 1 / 2.4) - 0.055;
  return static_cast<int>(std::lround(encoded * 255));
}

/// Channel `at` of `#rrggbb` as linear light.
double linear(std::string_view color, size_t at) {
  KR_CHECK(color.size() == 7);
  const double value = (hex_value(color[1 + 2 * at]) * 16 + hex_value(color[2 + 2 * at])) / 255.0;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

}  // namespace

std::string oklch(double lightness, double chroma, double hue) {
  const double angle = hue * 3.14159265358979323846 / 180;
  const double a = chroma * std::cos(angle), b = chroma * std::sin(angle);
  const auto cube = [](double value) { return value * value * value; };
  const double l = cube(lightness + 0.3963377774 * a + 0.2158037573 * b);
  const double m = cube(lightness - 0.1055613458 * a - 0.0638541728 * b);
  const double s = cube(lightness - 0.0894841775 * a - 1.2914855480 * b);
  return fmt::format("#{:02x}{:02x}{:02x}",
                     channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                     channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                     channel(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s));
}

Oklab oklab(std::string_view color) {
  const double red = linear(color, 0), green = linear(color, 1), blue = linear(color, 2);
  const double l = std::cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const double m = std::cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const double s = std::cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

double color_difference(const Oklab& one, const Oklab& other) {
  return std::hypot(one.lightness - other.lightness, one.a - other.a, one.b - other.b);
}

bool is_light(std::string_view color) {
  return 0.2126 * linear(color, 0) + 0.7152 * linear(color, 1) + 0.0722 * linear(color, 2) > 0.3;
}

}  // namespace kr::picture
