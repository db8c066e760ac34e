#include "picture/roofline_scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/printable.hpp"
#include "picture/label_places.hpp"
#include "picture/log_axis.hpp"
#include "picture/roofline_input.hpp"
#include "picture/roofline_legend.hpp"
#include "picture/text.hpp"
#include "text/numbers.hpp"

namespace kr::picture {
namespace {

constexpr double roofline_plot_height = 540, left_of_plot = 78;
constexpr double beside_legend = 28;
constexpr double tick_size = 11, roof_size = 11, point_name_size = 11;
constexpr size_t max_named_points = 10;
constexpr size_t longest_short_name = 18;
constexpr double narrow_chart = 500;  // wider ones have room for names with times

class RooflineLayout {
 public:
  RooflineLayout(const Roofline& roofline, double width, const TextWidth& width_of)
      : roofline_(roofline),
        width_of_(width_of),
        is_narrow_(width < narrow_chart),
        names_(point_names(roofline.points, is_narrow_ ? longest_short_name : longest_point_name)),
        drawn_(drawn_points(roofline.points)),
        roofs_(roof_lines(roofline.roofs)) {
    scene_.width = width;
  }

  RooflineScene sheet() {
    place_title();
    scene_.plot.x = left_of_plot;
    scene_.plot.width = roofline_sheet_width - roofline_edge - roofline_legend_width -
                        beside_legend - scene_.plot.x;
    scene_.plot.height = roofline_plot_height;
    place_plot(20);
    add_roofline_legend(roofline_, drawn_, scene_, width_of_);
    add_roofline_notes(roofline_, names_, scene_, width_of_);
    describe();
    return std::move(scene_);
  }

  RooflineScene chart() {
    scene_.height = std::round(std::clamp(0.56 * scene_.width, 320.0, 520.0));
    scene_.plot = {62, 8, scene_.width - 62 - 20, scene_.height - 8 - 44};
    place_plot(12);
    return std::move(scene_);
  }

 private:
  void place_plot(double axis_name_x) {
    choose_scales();
    LabelPlaces places(
        {scene_.plot.x + 2, scene_.plot.y + 2, scene_.plot.width - 4, scene_.plot.height - 4});
    place_grid(axis_name_x);
    place_points(places);
    place_roofs(places);
    name_points(places);
  }

  const RooflinePoint& point(size_t drawn) const { return roofline_.points[drawn_[drawn]]; }
  double x_of(double intensity) const { return scene_.plot.x + x_.place(intensity); }
  double y_of(double rate) const { return scene_.plot.y + scene_.plot.height - y_.place(rate); }

  void text(std::string words, double x, double y, double size, Ink ink, bool bold = false,
            DrawnText::Align align = DrawnText::Align::left, bool on_page = false) {
    scene_.texts.push_back({{std::move(words), x, y, size, align, bold, 0, {}}, ink, on_page});
  }

  void place_title() {
    scene_.title = printable(roofline_.title);
    double y = 34;
    text(fitted_text(scene_.title, roofline_sheet_width - 2 * roofline_edge, 16, true, width_of_),
         roofline_edge, y, 16, Ink::text, true);
    std::vector<std::string> facts;
    facts.reserve(roofline_.facts.size());
    for (const std::string& fact : roofline_.facts) facts.push_back(printable(fact));
    for (const std::string& line :
         wrapped_text(facts, "  ·  ", roofline_sheet_width - 2 * roofline_edge, roofline_text_size,
                      false, width_of_)) {
      y += 18;
      text(line, roofline_edge, y, roofline_text_size, Ink::faint);
    }
    scene_.plot.y = y + 20;
  }

  // Axes

  double best(RooflineRoof::Kind kind) const {
    for (const RoofLine& roof : roofs_) {
      if (roof.kind == kind) return roof.per_second;
    }
    return 0;
  }

  void choose_scales() {
    std::vector<double> xs, ys;
    xs.reserve(drawn_.size());
    ys.reserve(drawn_.size());
    for (size_t i = 0; i < drawn_.size(); ++i) {
      xs.push_back(point(i).intensity);
      ys.push_back(point(i).flops_per_s);
    }
    for (const RoofLine& roof : roofs_) {
      if (roof.kind != RooflineRoof::Kind::compute) continue;
      ys.push_back(roof.per_second);
      for (const RoofLine& memory : roofs_) {
        if (memory.kind == RooflineRoof::Kind::memory) {
          xs.push_back(roof.per_second / memory.per_second);
        }
      }
    }
    if (xs.empty()) xs = {0.1, 100};
    if (ys.empty()) ys = {1e9, 1e12};
    x_ = log_scale(xs, scene_.plot.width);
    y_ = log_scale(ys, scene_.plot.height);
  }

  void place_grid(double axis_name_x) {
    const Rectangle& plot = scene_.plot;
    const double right = plot.x + plot.width, bottom = plot.y + plot.height;
    const auto ink = [](const LogTick& tick) { return tick.decade ? Ink::decade : Ink::grid; };
    for (const LogTick& tick : log_ticks(x_, 56)) {
      const double x = x_of(tick.value);
      scene_.lines.push_back({x, plot.y, x, bottom, ink(tick)});
      if (tick.labelled) {
        text(log_tick_text(tick.value), x, bottom + 17, tick_size, Ink::faint, false,
             DrawnText::Align::middle);
      }
    }
    for (const LogTick& tick : log_ticks(y_, 26)) {
      const double y = y_of(tick.value);
      scene_.lines.push_back({plot.x, y, right, y, ink(tick)});
      if (tick.labelled) {
        text(tick_rate(tick.value), plot.x - 7, y + 4, tick_size, Ink::faint, false,
             DrawnText::Align::right);
      }
    }
    scene_.lines.push_back({plot.x, bottom, right, bottom, Ink::axis});
    scene_.lines.push_back({plot.x, plot.y, plot.x, bottom, Ink::axis});
    text(is_narrow_ ? "FLOP per byte of DRAM" : "Arithmetic intensity (FLOP per byte of DRAM)",
         plot.x + plot.width / 2, bottom + 38, 12, Ink::text, false, DrawnText::Align::middle);
    text("Achieved FLOP/s", axis_name_x, plot.y + plot.height / 2, 12, Ink::text, false,
         DrawnText::Align::middle);
    scene_.texts.back().text.turn = -90;
  }

  /// `10 T`: ticks are whole.
  static std::string tick_rate(double value) {
    constexpr std::string_view prefixes = "kMGTPE";
    size_t prefix = 0;
    while (value >= 999.5 && prefix < prefixes.size()) {
      value /= 1000;
      ++prefix;
    }
    if (value < 1) return log_tick_text(value);
    return fmt::format("{:.0f}{}{}", value, prefix > 0 ? " " : "",
                       prefix > 0 ? std::string(1, prefixes[prefix - 1]) : "");
  }

  // Roofs

  void place_roofs(LabelPlaces& places) {
    const double max_memory = best(RooflineRoof::Kind::memory);
    // Nothing is known to end the slope for points without a compute roof.
    const double max_compute =
        missing_roofs(roofline_).empty() ? best(RooflineRoof::Kind::compute) : 0;
    double slowest = 0;  // memory: DRAM, as a rule
    for (const RoofLine& roof : roofs_) {
      if (roof.kind == RooflineRoof::Kind::memory) slowest = roof.per_second;
    }
    for (const RoofLine& roof : roofs_) {
      if (roof.kind != RooflineRoof::Kind::compute || slowest == 0) continue;
      const double x = x_of(roof.per_second / slowest), y = y_of(roof.per_second);
      places.take({x - 5, y - 5, 10, 10});
    }
    for (const RoofLine& roof : roofs_) {
      if (roof.kind == RooflineRoof::Kind::memory) {
        place_memory_roof(roof, max_compute, roof.per_second != slowest, places);
      }
    }
    for (const RoofLine& roof : roofs_) {
      if (roof.kind == RooflineRoof::Kind::compute) {
        place_compute_roof(roof, max_memory, places);
      }
    }
    for (const RoofLine& roof : roofs_) {
      if (roof.kind != RooflineRoof::Kind::compute || slowest == 0) continue;
      mark_ridge(roof.per_second / slowest, y_of(roof.per_second), places);
    }
  }

  void add_roof(double x1, double y1, double x2, double y2, bool dashed, LabelPlaces& places) {
    scene_.lines.push_back({x1, y1, x2, y2, Ink::roof, 2, dashed});
    // Names of points rather avoid lines.
    const int pieces = static_cast<int>(std::hypot(x2 - x1, y2 - y1) / 6) + 1;
    for (int i = 0; i <= pieces; ++i) {
      const double part = static_cast<double>(i) / pieces;
      places.avoid({x1 + part * (x2 - x1) - 3, y1 + part * (y2 - y1) - 3, 6, 6});
    }
  }

  void place_memory_roof(const RoofLine& roof, double max_compute, bool dashed,
                         LabelPlaces& places) {
    // From the left or lower edge up to the highest compute roof, or to the right or upper edge.
    const double begin = std::max(x_.low, y_.low / roof.per_second);
    const double top = max_compute > 0 ? max_compute : y_.high;
    const double end = std::min(x_.high, top / roof.per_second);
    if (begin >= end) return;
    const double x1 = x_of(begin), y1 = y_of(begin * roof.per_second);
    const double x2 = x_of(end), y2 = y_of(end * roof.per_second);
    add_roof(x1, y1, x2, y2, dashed, places);
    name_slope(roof.text, x1, y1, x2, y2, places);
  }

  /// Along a line that rises, above it, where there is room.
  void name_slope(const std::string& words, double x1, double y1, double x2, double y2,
                  LabelPlaces& places) {
    const double length = std::hypot(x2 - x1, y2 - y1);
    const double dx = (x2 - x1) / length, dy = (y2 - y1) / length;
    const double width = width_of_(words, roof_size, false);
    const auto boxes = [&](double from) {
      std::vector<Rectangle> made;
      for (double along = 0; along <= width; along += 6) {
        const double x = x1 + (from + along) * dx + 10 * dy;
        const double y = y1 + (from + along) * dy - 10 * dx;
        made.push_back({x - 7, y - 7, 14, 14});
      }
      return made;
    };
    const double last = length - width - 12;
    double from = std::clamp(0.12 * length, 8.0, std::max(8.0, last));
    for (double tried = from; tried <= last; tried += 12) {
      const std::vector<Rectangle> all = boxes(tried);
      if (std::all_of(all.begin(), all.end(),
                      [&](const Rectangle& box) { return places.is_free(box); })) {
        from = tried;
        break;
      }
    }
    for (const Rectangle& box : boxes(from)) places.take(box);
    text(words, x1 + from * dx + 5 * dy, y1 + from * dy - 5 * dx, roof_size, Ink::roof, false,
         DrawnText::Align::left, true);
    scene_.texts.back().text.turn = std::atan2(dy, dx) * 180 / 3.14159265358979323846;
  }

  void place_compute_roof(const RoofLine& roof, double max_memory, LabelPlaces& places) {
    const double begin = max_memory > 0 ? roof.per_second / max_memory : x_.low;
    const double y = y_of(roof.per_second);
    const double right = scene_.plot.x + scene_.plot.width;
    add_roof(x_of(begin), y, right, y, false, places);
    const double width = width_of_(roof.text, roof_size, false);
    Rectangle place{right - 6 - width, y - 18, width, 14};
    const double last = std::max(x_of(begin), scene_.plot.x);
    bool done = false;
    for (double left = place.x; left >= last && !done; left -= 16) {
      for (const double above : {18.0, -4.0}) {
        const Rectangle tried{left, y - above, width, 14};
        if (done || !places.is_free(tried)) continue;
        place = tried;
        done = true;
      }
    }
    places.take(place);
    text(roof.text, place.x, place.y + 11, roof_size, Ink::roof, false, DrawnText::Align::left,
         true);
  }

  /// Where kernels become limited by computation: with fewer operations per byte DRAM is the limit.
  void mark_ridge(double intensity, double y, LabelPlaces& places) {
    const double x = x_of(intensity);
    const std::string words = text::short_number(intensity);
    scene_.marks.push_back(
        {x, y, 4, RooflineVerdict::memory, {}, fmt::format("ridge: {} FLOP per byte", words)});
    const double width = width_of_(words, 10, false);
    const auto at = places.put({x, y, 4}, width + 4, 12, 14);  // beside it, or not at all
    if (!at) return;
    text(words, at->place.x + 2, at->place.y + 10, 10, Ink::faint, false, DrawnText::Align::left,
         true);
  }

  // Points

  std::string tooltip(size_t drawn) const {
    const RooflinePoint& one = point(drawn);
    std::string words =
        fmt::format("{}\n{}", printable(one.name), roofline_label_title(roofline_, one.label));
    if (!one.launch.empty()) words += fmt::format("\n{}", printable(one.launch));
    if (!one.precision.empty()) words += fmt::format("\n{}", printable(one.precision));
    words +=
        fmt::format("\n{} at {} FLOP per byte\n{}\nlimited by: {}",
                    text::in_si(one.flops_per_s, "FLOP/s"), text::short_number(one.intensity),
                    one.total_ns > 0 ? text::human_time(one.total_ns) + " in all" : point_time(0),
                    to_string(one.verdict));
    if (one.computed) words += "\ncomputed from shapes of ops";
    return words;
  }

  /// Of its own roof, which may be below the roofs that are drawn; 0 unless above `top`.
  double roof_y(const RooflinePoint& one, double top) const {
    if (!(one.peak_ratio > 0)) return 0;
    const double y = y_of(one.flops_per_s / one.peak_ratio);
    return y < top && y >= scene_.plot.y ? y : 0;
  }

  void place_points(LabelPlaces& places) {
    for (size_t i = 0; i < drawn_.size(); ++i) {
      const RooflinePoint& one = point(i);
      const double x = x_of(one.intensity), y = y_of(one.flops_per_s);
      const double radius =
          roofline_radius(one.total_ns, point(0).total_ns, drawn_.size(), is_narrow_ ? 0.7 : 1);
      scene_.points.push_back({x, y, radius, one.verdict, roofline_color(roofline_, one.label),
                               tooltip(i), one.computed, drawn_[i], roof_y(one, y - radius)});
      const Rectangle box{x - radius, y - radius, 2 * radius, 2 * radius};
      // Small points may be covered; what is named may not.
      radius > 6 || i < max_named_points ? places.take(box) : places.avoid(box);
    }
  }

  void name_points(LabelPlaces& places) {
    for (size_t i = 0; i < std::min(drawn_.size(), max_named_points); ++i) {
      const RooflineMark& mark = scene_.points[i];
      std::string words = printable(names_[drawn_[i]]);
      if (!is_narrow_) words += fmt::format(" · {}", point_time(point(i).total_ns));
      const double width = width_of_(words, point_name_size, false);
      const auto at = places.put({mark.x, mark.y, mark.radius}, width + 4, 15);
      if (!at) continue;
      if (at->apart) lead(mark, at->place);
      text(words, at->place.x + 2, at->place.y + 11.5, point_name_size, Ink::text, false,
           DrawnText::Align::left, true);
    }
  }

  /// A line from the edge of a point to its name.
  void lead(const RooflineMark& mark, const Rectangle& name) {
    const double x = std::clamp(mark.x, name.x, name.x + name.width);
    const double y = std::clamp(mark.y, name.y, name.y + name.height);
    const double length = std::hypot(x - mark.x, y - mark.y);
    const double from = mark.radius / length;
    scene_.leaders.push_back(
        {mark.x + from * (x - mark.x), mark.y + from * (y - mark.y), x, y, Ink::text, 0.7});
  }

  void describe() {
    scene_.summary = fmt::format(
        "Roofline chart of {} points: achieved operations per second by operations per "
        "byte of DRAM, both logarithmic.",
        drawn_.size());
    if (!drawn_.empty() && point(0).total_ns > 0) {
      scene_.summary += fmt::format(" Most time: {}, {}.", printable(names_[drawn_[0]]),
                                    text::human_time(point(0).total_ns));
    }
  }

  const Roofline& roofline_;
  const TextWidth& width_of_;
  bool is_narrow_;
  std::vector<std::string> names_;  // by point
  std::vector<size_t> drawn_;
  std::vector<RoofLine> roofs_;
  LogScale x_, y_;
  RooflineScene scene_;
};

}  // namespace

RooflineScene lay_out_roofline(const Roofline& roofline, const TextWidth& width_of) {
  return RooflineLayout(roofline, roofline_sheet_width, width_of).sheet();
}

RooflineScene lay_out_roofline_chart(const Roofline& roofline, double width,
                                     const TextWidth& width_of) {
  return RooflineLayout(roofline, width, width_of).chart();
}

std::vector<double> corners_of(const RooflineMark& mark) {
  // All with the area of the circle, π r².
  constexpr double square = 0.8862269254527580;  // √π / 2
  constexpr double triangle = 1.5551202;         // √(4π / (3 √3)), from its middle to a corner
  const double x = mark.x, y = mark.y;
  switch (mark.verdict) {
    case RooflineVerdict::compute: {
      const double half = mark.radius * square;
      return {x - half, y - half, x + half, y - half, x + half, y + half, x - half, y + half};
    }
    case RooflineVerdict::latency: {
      const double far = mark.radius * triangle;
      return {x, y - far, x + far * 0.8660254, y + far / 2, x - far * 0.8660254, y + far / 2};
    }
    case RooflineVerdict::unknown: {
      const double far = mark.radius * square * 1.4142136;
      return {x, y - far, x + far, y, x, y + far, x - far, y};
    }
    case RooflineVerdict::memory:
      break;
  }
  return {};
}

}  // namespace kr::picture
