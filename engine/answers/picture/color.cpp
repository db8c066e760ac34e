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

struct Light {
  double red, green, blue;
};

Light light_of(std::string_view color) {
  return {linear(color, 0), linear(color, 1), linear(color, 2)};
}

Oklab oklab_of(const Light& light) {
  const auto root = [](double value) { return std::cbrt(std::fmax(value, 0)); };
  const double l =
      root(0.4122214708 * light.red + 0.5363325363 * light.green + 0.0514459929 * light.blue);
  const double m =
      root(0.2119034982 * light.red + 0.6806995451 * light.green + 0.1073969566 * light.blue);
  const double s =
      root(0.0883024619 * light.red + 0.2817188376 * light.green + 0.6299787005 * light.blue);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

/// How the lack of a kind of cone changes linear light: Machado, Oliveira and Fernandes, 2009.
constexpr std::array<std::array<double, 9>, 4> visions{
    {{1, 0, 0, 0, 1, 0, 0, 0, 1},
     {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
     {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
     {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367,
      0.303900}}};

Light seen_with(const std::array<double, 9>& vision, const Light& light) {
  const auto channel_of = [&](size_t row) {
    return vision[row] * light.red + vision[row + 1] * light.green + vision[row + 2] * light.blue;
  };
  return {channel_of(0), channel_of(3), channel_of(6)};
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
  return oklab_of(light_of(color));
}

double color_difference(const Oklab& one, const Oklab& other) {
  return std::hypot(one.lightness - other.lightness, one.a - other.a, one.b - other.b);
}

Looks looks(std::string_view color) {
  const Light light = light_of(color);
  Looks all;
  for (size_t i = 0; i < all.size(); ++i) all[i] = oklab_of(seen_with(visions[i], light));
  return all;
}

double min_difference(const Looks& one, const Looks& other) {
  double least = color_difference(one[0], other[0]);
  for (size_t i = 1; i < one.size(); ++i) {
    least = std::fmin(least, color_difference(one[i], other[i]));
  }
  return least;
}

bool is_light(std::string_view color) {
  const Light light = light_of(color);
  return 0.2126 * light.red + 0.7152 * light.green + 0.0722 * light.blue > 0.179;
}

}  // namespace kr::picture
