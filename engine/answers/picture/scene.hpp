// The layout of a picture of stacked bars: the place of every rectangle and word, before it is
// drawn. Pixels, from the top left corner.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "picture/text.hpp"
#include "picture/tree_bars.hpp"

namespace kr::picture {

struct Rectangle {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

/// A part of a bar. Edges are on half pixels, and a part begins where the one below it ends.
struct DrawnPart {
  size_t bar = 0;
  uint32_t entry = 0;
  int64_t value = 0;
  Rectangle place;
};

struct DrawnText {
  enum class Align : uint8_t { left, middle, right };
  std::string text;
  double x = 0;  // of the baseline, by `align`
  double y = 0;
  double size = 11;
  Align align = Align::left;
  bool bold = false;
  double turn = 0;  // degrees, about (x, y), clockwise
  std::string color = "#1a1f26";
};

struct DrawnLine {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  std::string color;
};

struct LegendItem {
  uint32_t entry = 0;
  Rectangle swatch;
};

struct PictureScene {
  double width = 0;
  double height = 0;
  bool gaps = false;  // bars are wide enough for a fine line between parts
  Rectangle plot;
  std::vector<DrawnLine> lines;
  std::vector<DrawnPart> parts;
  std::vector<LegendItem> legend;
  std::vector<DrawnText> texts;
};

struct PictureWords {
  std::string title;
  std::vector<std::string> facts;   // below it, joined and wrapped
  std::vector<std::string> names;   // by entry
  std::vector<std::string> colors;  // by entry, `#rrggbb`
};

PictureScene lay_out_picture(const TreeBars& bars, trees::Metric metric, const PictureWords& words,
                             const TextWidth& width_of);

}  // namespace kr::picture
