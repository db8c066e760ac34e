#include "picture/tree_colors.hpp"

#include <algorithm>
#include <array>

#include "picture/color.hpp"
#include "picture/label_styles.hpp"

namespace kr::picture {
namespace {

struct Shade {
  std::string color;
  Oklab look;
};

/// Hues far from each other first, then the same darker and lighter.
std::vector<Shade> palette() {
  struct Tone {
    double lightness, chroma, turn;
  };
  constexpr std::array<Tone, 4> tones{
      {{0.64, 0.13, 0}, {0.50, 0.11, 15}, {0.80, 0.09, 7}, {0.40, 0.08, 22}}};
  constexpr std::array<double, 12> hues{255, 55, 150, 25, 305, 90, 200, 350, 120, 280, 225, 330};
  std::vector<Shade> shades;
  for (const Tone& tone : tones) {
    for (const double hue : hues) {
      std::string color = oklch(tone.lightness, tone.chroma, hue + tone.turn);
      const Oklab look = oklab(color);
      shades.push_back({std::move(color), look});
    }
  }
  return shades;
}

/// Labels and nodes are side by side in a bar: their colours differ more than an eye needs.
constexpr double apart = 0.12;

bool near_any(const Oklab& look, const std::vector<Oklab>& taken) {
  return std::any_of(taken.begin(), taken.end(),
                     [&](const Oklab& other) { return color_difference(look, other) < apart; });
}

}  // namespace

std::vector<std::string> tree_colors(const sema::Program& program, const trees::TreeView& view) {
  const std::vector<trees::ViewEntry>& entries = view.entries();
  std::vector<std::string> colors(entries.size());
  std::vector<Oklab> labels;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].others) {
      colors[i] = grey;
    } else if (entries[i].is_label) {
      colors[i] = label_style(program, view.modules().choice.model, view.options().dimension,
                              entries[i].label)
                      .color;
      labels.push_back(oklab(colors[i]));
    }
  }
  std::vector<Shade> shades = palette();
  std::stable_partition(shades.begin(), shades.end(),
                        [&](const Shade& one) { return !near_any(one.look, labels); });
  // After the last comes the first again: what is alike is then a palette apart.
  size_t next = 0;
  for (std::string& color : colors) {
    if (color.empty()) color = shades[next++ % shades.size()].color;
  }
  return colors;
}

}  // namespace kr::picture
