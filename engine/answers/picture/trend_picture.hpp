// Times over runs as lines, drawn with Cairo: what changed, and since which run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "picture/scene.hpp"
#include "picture/text.hpp"

namespace kr::picture {

struct TrendPictureLine {
  std::string name;
  std::string color;                      // `#rrggbb`
  std::vector<std::optional<double>> ns;  // by run; the line has a gap where there is nothing
  std::string note = {};                  // behind the name: what is known of the new runs
  bool bold = false;                      // stands out from the others
};

struct TrendPictureInput {
  std::string title;
  std::vector<std::string> facts;  // below it, joined and wrapped
  std::string axis;                // `time per step of decode`; the unit is added
  std::vector<std::string> runs;   // what they are called, in order
  size_t first_new = 0;            // the runs from this one on are new; their number: none is
  std::vector<TrendPictureLine> lines;
};

/// The place of each point of a line.
struct TrendStroke {
  struct Point {
    double x = 0, y = 0;
    bool joined = false;  // with the point before it
  };
  std::vector<Point> points;
  std::string color;
  double width = 1;
};

/// Its lines are those of the axes, and the one between the old and the new runs.
struct TrendScene : Scene {
  std::vector<TrendStroke> strokes;  // in the order of the lines
  std::vector<Rectangle> swatches;   // of the legend, in the order of the lines
};

TrendScene lay_out_trend(const TrendPictureInput& trend, const TextWidth& width_of);

struct TrendPicture {
  std::string png;  // two pixels per unit of length
  std::string svg;  // letters are outlines: it looks the same on every system
};

/// The same input gives the same bytes. Throws Error if Cairo cannot draw.
TrendPicture trend_picture(const TrendPictureInput& trend);

}  // namespace kr::picture
