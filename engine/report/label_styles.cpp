// Titles and colours of labels.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "report/report.hpp"

namespace kr {
namespace {

uint32_t hash_of(std::string_view text) {  // FNV-1a, with its bits mixed once more
  uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  hash ^= hash >> 16;
  hash *= 0x7feb352dU;
  return hash ^ (hash >> 15);
}

/// One channel of linear light as sRGB's byte.
int channel(double linear) {
  const double bounded = std::fmin(1.0, std::fmax(0.0, linear));
  const double encoded =
      bounded <= 0.0031308 ? 12.92 * bounded : 1.055 * std::pow(bounded, 1 / 2.4) - 0.055;
  return static_cast<int>(std::lround(encoded * 255));
}

/// A colour of Oklab (Ottosson 2020) by lightness, chroma and hue in degrees. Equal lightness there
/// looks equally light, whatever the hue.
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

/// Of middling lightness, so that it stands out from a white and from a black page.
std::string color_from_text(std::string_view label) {
  if (label == reserved::unclassified) return "#8d939c";
  struct Tone {
    double lightness, chroma;
  };
  constexpr std::array<Tone, 3> tones{{{0.62, 0.13}, {0.72, 0.12}, {0.54, 0.11}}};
  constexpr uint32_t hues = 36;
  const uint32_t hash = hash_of(label);
  const Tone tone = tones[hash / hues % tones.size()];
  return oklch(tone.lightness, tone.chroma, hash % hues * (360.0 / hues));
}

/// What the runs' models declare for labels of one dimension.
class Declared {
 public:
  Declared(const Program& program, const std::vector<RunSummary>& runs,
           std::string_view dimension) {
    const auto id = program.dimension(dimension);
    if (!id) return;
    for (const RunSummary& run : runs) {
      const auto engine = program.engine(run.engine);
      const auto model = engine ? program.model(*engine, run.model) : std::nullopt;
      if (!model) continue;
      const Table* table = program.models.get(*model).table(*id);
      if (table == nullptr) continue;
      for (const Label& label : table->vocabulary) add(label);
    }
  }

  LabelStyle style(std::string_view dimension, std::string_view label) const {
    LabelStyle style;
    const auto found = labels_.find(label);
    if (found != labels_.end()) style = found->second;
    style.dimension = dimension;
    style.label = label;
    if (style.color.empty()) style.color = color_from_text(label);
    return style;
  }

 private:
  void add(const Label& label) {
    LabelStyle& style = labels_[label.name];
    if (style.title.empty()) style.title = label.title;
    if (style.color.empty()) style.color = label.color;
    if (style.doc.empty()) style.doc = label.doc;
  }
  std::unordered_map<std::string_view, LabelStyle> labels_;
};

}  // namespace

std::vector<LabelStyle> label_styles(const Program& program, const std::vector<RunSummary>& runs) {
  std::map<std::string_view, std::set<std::string_view>> occurring;
  for (const RunSummary& run : runs) {
    for (const DimensionSum& dimension : run.dimensions) {
      auto& labels = occurring[dimension.dimension];
      for (const LabelSum& sum : dimension.labels) labels.insert(sum.label);
    }
  }
  std::vector<LabelStyle> styles;
  for (const auto& [dimension, labels] : occurring) {
    const Declared declared(program, runs, dimension);
    for (const std::string_view label : labels) styles.push_back(declared.style(dimension, label));
  }
  return styles;
}

}  // namespace kr
