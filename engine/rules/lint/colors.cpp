// KR320, KR410: labels of one dimension with the same or similar colours.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>

#include "base/ascii.hpp"
#include "lint/checks.hpp"

namespace kr::lint {
namespace {

struct Lab {
  double l, a, b;
};

/// Converts a channel of sRGB to linear light.
double linear(std::string_view color, size_t at) {
  const double value = (16 * hex_value(color[at]) + hex_value(color[at + 1])) / 255.0;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

double lab_curve(double t) {
  constexpr double edge = 6.0 / 29;
  return t > edge * edge * edge ? std::cbrt(t) : t / (3 * edge * edge) + 4.0 / 29;
}

/// For the white point D65.
Lab lab_of(std::string_view color) {
  const double r = linear(color, 1);
  const double g = linear(color, 3);
  const double b = linear(color, 5);
  const double x = lab_curve((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const double y = lab_curve(0.2126729 * r + 0.7151522 * g + 0.0721750 * b);
  const double z = lab_curve((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

constexpr double turn = 2 * std::numbers::pi;

/// The angle of a hue in [0, 2π).
double hue(double a, double b) {
  if (a == 0 && b == 0) return 0;
  const double angle = std::atan2(b, a);
  return angle < 0 ? angle + turn : angle;
}

double degrees(double value) {
  return value * turn / 360;
}

double seventh_share(double chroma) {
  const double power = std::pow(chroma, 7);
  return std::sqrt(power / (power + std::pow(25.0, 7)));
}

}  // namespace

double color_distance(std::string_view first, std::string_view second) {
  const Lab p = lab_of(first);
  const Lab q = lab_of(second);
  const double mean = (std::hypot(p.a, p.b) + std::hypot(q.a, q.b)) / 2;
  const double stretch = 1 + 0.5 * (1 - seventh_share(mean));
  const double chroma_p = std::hypot(stretch * p.a, p.b);
  const double chroma_q = std::hypot(stretch * q.a, q.b);
  const double hue_p = hue(stretch * p.a, p.b);
  const double hue_q = hue(stretch * q.a, q.b);

  double hue_step = hue_q - hue_p;
  if (hue_step > turn / 2) hue_step -= turn;
  if (hue_step < -turn / 2) hue_step += turn;
  if (chroma_p * chroma_q == 0) hue_step = 0;
  double hue_mean = hue_p + hue_q;
  if (chroma_p * chroma_q != 0) {
    if (std::abs(hue_p - hue_q) > turn / 2) hue_mean += hue_mean < turn ? turn : -turn;
    hue_mean /= 2;
  }

  const double d_lightness = q.l - p.l;
  const double d_chroma = chroma_q - chroma_p;
  const double d_hue = 2 * std::sqrt(chroma_p * chroma_q) * std::sin(hue_step / 2);
  const double lightness = (p.l + q.l) / 2 - 50;
  const double chroma = (chroma_p + chroma_q) / 2;
  const double weight = 1 - 0.17 * std::cos(hue_mean - degrees(30)) +
                        0.24 * std::cos(2 * hue_mean) + 0.32 * std::cos(3 * hue_mean + degrees(6)) -
                        0.20 * std::cos(4 * hue_mean - degrees(63));
  const double by_lightness =
      d_lightness / (1 + 0.015 * lightness * lightness / std::sqrt(20 + lightness * lightness));
  const double by_chroma = d_chroma / (1 + 0.045 * chroma);
  const double by_hue = d_hue / (1 + 0.015 * chroma * weight);
  const double off_blue = (hue_mean - degrees(275)) / degrees(25);
  const double rotation =
      -std::sin(2 * degrees(30) * std::exp(-off_blue * off_blue)) * 2 * seventh_share(chroma);
  return std::sqrt(by_lightness * by_lightness + by_chroma * by_chroma + by_hue * by_hue +
                   rotation * by_chroma * by_hue);
}

namespace {

/// Below this difference, two labels of a chart are hard to distinguish: they are not side by side,
/// and the screen is not calibrated.
constexpr double similar_colors = 5.0;

std::string normal(const std::string& written) {
  std::string color = lowered(written);
  if (color.size() != 4) return color;
  return {'#', color[1], color[1], color[2], color[2], color[3], color[3]};
}

class Colors {
 public:
  Colors(const Context& context, diag::Sink& sink) : context_(context), sink_(sink) {}

  /// Compares all pairs of labels of a dimension that have not been compared.
  void compare(const std::string& dimension, const std::vector<sema::Label>& labels) {
    for (size_t i = 0; i < labels.size(); ++i) {
      for (size_t k = 0; k < i; ++k) compare(dimension, labels[k], labels[i]);
    }
  }

 private:
  void compare(const std::string& dimension, const sema::Label& first, const sema::Label& second) {
    if (first.color.empty() || second.color.empty()) return;
    if (!context_.is_root(first.span.file) && !context_.is_root(second.span.file)) return;
    const auto key = [](source::Span span) { return std::pair(span.file, span.begin); };
    const bool swap = !context_.is_root(second.span.file) ||
                      (context_.is_root(first.span.file) && key(second.span) < key(first.span));
    const sema::Label& one = swap ? second : first;
    const sema::Label& other = swap ? first : second;  // of a root file
    if (!compared_.insert({key(one.span), key(other.span)}).second) return;
    const std::string color = normal(one.color);
    const std::string near = normal(other.color);
    if (color == near) {
      sink_.add(diag::code::same_color, other.span, other.name, one.name, color, dimension)
          .related(one.span, "first used by `{}`", one.name)
          .help("give one of them another colour");
      return;
    }
    const double distance = color_distance(color, near);
    if (distance >= similar_colors) return;
    sink_
        .add(diag::code::similar_colors, other.span, other.name, one.name,
             fmt::format("{:.1f}", distance))
        .related(one.span, "`{}` is {}", one.name, color)
        .help("colours of a chart should differ by at least {} (CIEDE2000)", similar_colors);
  }

  using Key = std::pair<source::FileId, uint32_t>;
  const Context& context_;
  diag::Sink& sink_;
  std::set<std::pair<Key, Key>> compared_;
};

}  // namespace

void check_colors(const Context& context, diag::Sink& sink) {
  Colors colors(context, sink);
  for (const sema::LoadedFile* file : context.roots) {
    for (const syntax::Labels& declared : file->tree.labels) {
      std::vector<sema::Label> labels;
      for (const syntax::LabelDecl& one : declared.labels) {
        if (!one.color) continue;
        labels.push_back({one.label.text, "", one.color->text, "", one.label.span});
      }
      colors.compare(declared.dimension.text, labels);
    }
  }
  const sema::Program& program = context.program();
  for (const sema::Model& model : program.models) {
    for (const sema::Table& table : model.tables) {
      colors.compare(program.dimensions.get(table.dimension).name, table.vocabulary);
    }
  }
}

}  // namespace kr::lint
