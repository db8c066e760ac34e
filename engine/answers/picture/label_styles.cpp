// Titles and colours of labels.
#include "picture/label_styles.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>

#include "base/hash.hpp"
#include "picture/color.hpp"

namespace kr::picture {
namespace {

/// Of middling lightness, so that it is visible on a white and on a black page.
std::string color_from_text(std::string_view label) {
  if (label == sema::reserved::unclassified) return grey;
  struct Tone {
    double lightness, chroma;
  };
  constexpr std::array<Tone, 3> tones{{{0.62, 0.13}, {0.72, 0.12}, {0.54, 0.11}}};
  constexpr uint64_t hues = 36;
  const uint64_t hash = hash_bytes(label);
  const Tone tone = tones[hash / hues % tones.size()];
  return oklch(tone.lightness, tone.chroma, static_cast<double>(hash % hues) * (360.0 / hues));
}

/// What models declare for labels of one dimension, the first that has something first.
class Declared {
 public:
  Declared(const sema::Program& program, const std::vector<sema::ModelId>& models,
           std::string_view dimension) {
    const auto id = program.dimension(dimension);
    if (!id) return;
    for (const sema::ModelId model : models) {
      const sema::Table* table = program.models.get(model).any_table(*id);
      if (table == nullptr) continue;
      for (const sema::Label& label : table->vocabulary) add(label);
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
  void add(const sema::Label& label) {
    LabelStyle& style = labels_[label.name];
    if (style.title.empty()) style.title = label.title;
    if (style.color.empty()) style.color = label.color;
    if (style.doc.empty()) style.doc = label.doc;
  }
  std::unordered_map<std::string_view, LabelStyle> labels_;
};

struct Shade {
  std::string color;
  Looks looks;
};

std::vector<Shade> palette() {
  struct Tone {
    double lightness, chroma, turn;
  };
  constexpr std::array<Tone, 4> tones{
      {{0.64, 0.13, 0}, {0.50, 0.11, 15}, {0.80, 0.09, 7}, {0.40, 0.08, 22}}};
  constexpr std::array<double, 12> hues{255, 55, 150, 25, 305, 90, 200, 350, 120, 280, 225, 330};
  std::vector<Shade> shades;
  shades.reserve(tones.size() * hues.size());
  for (const Tone& tone : tones) {
    for (const double hue : hues) {
      std::string color = oklch(tone.lightness, tone.chroma, hue + tone.turn);
      const Looks seen = looks(color);
      shades.push_back({std::move(color), seen});
    }
  }
  return shades;
}

/// Labels and nodes are side by side in a bar: their colours differ more than an eye needs.
constexpr double apart = 0.12;

bool near_any(const Shade& shade, const std::vector<Looks>& taken) {
  return std::any_of(taken.begin(), taken.end(), [&](const Looks& other) {
    return color_difference(shade.looks[0], other[0]) < apart;
  });
}

/// The order in which nodes get them: each differs, for all eyes, as much as possible from the few
/// before it, which are its neighbours in a bar.
void separate_neighbours(std::vector<Shade>::iterator begin, std::vector<Shade>::iterator end) {
  constexpr std::ptrdiff_t neighbours = 3;
  if (begin == end) return;
  for (auto next = begin + 1; next != end; ++next) {
    const auto from = next - std::min(next - begin, neighbours);
    const auto distance = [&](const Shade& shade) {
      double least = 1;
      for (auto other = from; other != next; ++other) {
        least = std::min(least, min_difference(shade.looks, other->looks));
      }
      return least;
    };
    const auto best = std::max_element(next, end, [&](const Shade& one, const Shade& other) {
      return distance(one) < distance(other);
    });
    std::iter_swap(next, best);
  }
}

}  // namespace

LabelStyle label_style(const sema::Program& program, sema::ModelId model,
                       std::string_view dimension, std::string_view label) {
  return Declared(program, {model}, dimension).style(dimension, label);
}

std::vector<LabelStyle> label_styles(const sema::Program& program,
                                     const std::vector<const analyze::RunSummary*>& runs) {
  std::vector<sema::ModelId> models;
  for (const analyze::RunSummary* run : runs) {
    const auto engine = program.engine(run->engine);
    const auto model = engine ? program.model(*engine, run->model) : std::nullopt;
    if (model) models.push_back(*model);
  }
  std::map<std::string_view, std::set<std::string_view>> occurring;
  for (const analyze::RunSummary* run : runs) {
    for (const analyze::DimensionSum& dimension : run->dimensions) {
      auto& labels = occurring[dimension.dimension];
      for (const analyze::LabelSum& sum : dimension.labels) labels.insert(sum.label);
    }
  }
  std::vector<LabelStyle> styles;
  for (const auto& [dimension, labels] : occurring) {
    const Declared declared(program, models, dimension);
    for (const std::string_view label : labels) styles.push_back(declared.style(dimension, label));
  }
  return styles;
}

std::vector<std::string> tree_colors(const sema::Program& program, const trees::TreeView& view) {
  const std::vector<trees::ViewEntry>& entries = view.entries();
  std::vector<std::string> colors(entries.size());
  std::vector<Looks> labels;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].others) {
      colors[i] = grey;
    } else if (entries[i].is_label) {
      colors[i] = label_style(program, view.modules().choice.model, view.options().dimension,
                              entries[i].label)
                      .color;
      labels.push_back(looks(colors[i]));
    }
  }
  std::vector<Shade> shades = palette();
  const auto near = std::stable_partition(shades.begin(), shades.end(),
                                          [&](const Shade& one) { return !near_any(one, labels); });
  separate_neighbours(shades.begin(), near);
  separate_neighbours(near, shades.end());
  // After the last comes the first again: what is alike is then a palette apart.
  size_t next = 0;
  for (std::string& color : colors) {
    if (color.empty()) color = shades[next++ % shades.size()].color;
  }
  return colors;
}

}  // namespace kr::picture
