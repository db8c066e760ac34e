// The layout of a roofline: the place of every line, point and word, before it is drawn. Pixels,
// from the top left corner.
#pragma once

#include <string>
#include <vector>

#include "picture/roofline.hpp"
#include "picture/scene.hpp"
#include "picture/text.hpp"

namespace kr::picture {

/// What a thing is drawn in; themes differ.
enum class Ink : uint8_t { page, text, faint, grid, decade, axis, roof };

struct RooflineLine {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  Ink ink = Ink::grid;
  double width = 1;
  bool dashed = false;
};

struct RooflineText {
  DrawnText text;  // its color is not used
  Ink ink = Ink::text;
  bool on_page = false;  // on a piece of page, so that lines behind it do not cross it
};

/// A point, or a mark of the legend: a square for compute, a circle for memory, a triangle for
/// latency, a diamond for unknown.
struct RooflineMark {
  double x = 0, y = 0;  // of its middle
  double radius = 0;    // of the circle with the same area
  RooflineVerdict verdict = RooflineVerdict::unknown;
  std::string color;    // `#rrggbb`; empty: only an outline
  std::string tooltip;  // lines
  bool dashed = false;  // the outline: the point is computed
  size_t point = 0;     // its place in `Roofline::points`
  double roof_y = 0;    // of the roof above it; 0: none, or not known
};

struct RooflineScene {
  double width = 0;
  double height = 0;
  Rectangle plot;
  std::string title;
  std::string summary;  // for those who do not see the picture
  std::vector<RooflineLine> lines;
  std::vector<RooflineLine> leaders;  // from points to their names, over the points
  std::vector<RooflineMark> points;   // the largest first
  std::vector<RooflineMark> marks;    // ridges and the legend's
  std::vector<RooflineText> texts;
};

/// A sheet: the chart with its title, legend and notes.
RooflineScene lay_out_roofline(const Roofline& roofline, const TextWidth& width_of);
/// The chart alone, as high as suits the width. Below 500 names are short.
RooflineScene lay_out_roofline_chart(const Roofline& roofline, double width,
                                     const TextWidth& width_of);
std::string svg_of_roofline(const RooflineScene& scene);
/// See RooflineParts.
std::string svg_of_roofline_chart(const RooflineScene& scene);

/// The corners of a mark's shape, x and y in turn; none of a circle.
std::vector<double> corners_of(const RooflineMark& mark);

}  // namespace kr::picture
