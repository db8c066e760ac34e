// The layout of a picture: the place of every line and word, before it is drawn; and of one of
// stacked bars, that of every rectangle. Pixels, from the top left corner.
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

/// How pictures with a plot and a legend look.
namespace look {
inline constexpr const char* faint = "#5c6672";
inline constexpr const char* grid_color = "#e3e6ea";
inline constexpr const char* axis_color = "#9aa3ad";
inline constexpr double edge = 24;  // around all
inline constexpr double label_size = 10.5, name_size = 11.5;
inline constexpr double legend_line = 19;
inline constexpr double longest_label = 190;  // below the plot, where labels are turned
inline constexpr double turned_line = 17;     // between the beginnings of turned labels
inline constexpr double diagonal = 0.70710678;
}  // namespace look

/// What all such pictures have.
struct Scene {
  double width = 0;
  double height = 0;
  Rectangle plot;
  std::vector<DrawnLine> lines;
  std::vector<DrawnText> texts;

  double bottom() const { return plot.y + plot.height; }
  double right() const { return plot.x + plot.width; }

  DrawnText& put(std::string text, double x, double y, double size, DrawnText::Align align);
  /// At the top, as wide as the picture. Returns where they end.
  double put_title(const std::string& title, const std::vector<std::string>& facts,
                   const TextWidth& width_of);
  /// A line across the plot, with its number; the lowest one is the axis.
  void put_tick(double y, std::string number, bool is_axis);
  /// Turned, left of the numbers.
  void put_axis_title(std::string text);
  /// A mark and a turned text below the plot.
  void put_turned_label(std::string text, double x);
};

/// What is there on one line: nothing of it moves what follows.
std::string one_line(const std::string& text);

struct LegendItem {
  uint32_t entry = 0;
  Rectangle swatch;
};

struct PictureScene : Scene {
  bool gaps = false;  // bars are wide enough for a fine line between parts
  std::vector<DrawnPart> parts;
  std::vector<LegendItem> legend;
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
