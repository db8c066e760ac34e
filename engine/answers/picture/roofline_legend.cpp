#include "picture/roofline_legend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/printable.hpp"
#include "picture/color.hpp"
#include "picture/roofline_input.hpp"
#include "text/numbers.hpp"

namespace kr::picture {
namespace {

constexpr double min_radius = 3.5;
constexpr size_t max_labels = 16;
constexpr double line_height = 18, note_height = 16;

const RooflineLabel* roofline_style(const Roofline& roofline, const std::string& label) {
  const auto found = std::find_if(roofline.labels.begin(), roofline.labels.end(),
                                  [&](const RooflineLabel& one) { return one.label == label; });
  return found == roofline.labels.end() ? nullptr : &*found;
}

class RooflineLegend {
 public:
  RooflineLegend(const Roofline& roofline, const std::vector<size_t>& drawn, RooflineScene& scene,
                 const TextWidth& width_of)
      : roofline_(roofline),
        drawn_(drawn),
        scene_(scene),
        width_of_(width_of),
        x_(roofline_sheet_width - roofline_edge - roofline_legend_width),
        y_(scene.plot.y + 10),
        has_ridges_(!scene.marks.empty()) {}

  void make() {
    if (drawn_.empty()) return text("No point to draw: see below.", x_, Ink::faint);
    add_labels();
    add_verdicts();
    add_areas();
    add_sources();
    if (!has_ridges_) return;
    y_ += 28;
    scene_.marks.push_back({x_ + 8, y_ - 4, 4, RooflineVerdict::memory, {}, {}});
    text("ridge: FLOP per byte", x_ + 22);
  }

 private:
  const RooflinePoint& point(size_t drawn) const { return roofline_.points[drawn_[drawn]]; }

  void text(std::string words, double x, Ink ink = Ink::text, bool bold = false) {
    scene_.texts.push_back(
        {{std::move(words), x, y_, roofline_text_size, DrawnText::Align::left, bold, 0, {}},
         ink,
         false});
  }

  void add_labels() {
    std::map<std::string, int64_t> times;
    for (size_t i = 0; i < drawn_.size(); ++i) times[point(i).label] += point(i).total_ns;
    std::vector<std::pair<std::string, int64_t>> labels(times.begin(), times.end());
    std::stable_sort(labels.begin(), labels.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    text("Color: label", x_, Ink::text, true);
    for (size_t i = 0; i < std::min(labels.size(), max_labels); ++i) {
      y_ += line_height;
      const std::string& label = labels[i].first;
      scene_.marks.push_back(
          {x_ + 8, y_ - 4, 6, RooflineVerdict::compute, roofline_color(roofline_, label), {}});
      text(fitted_text(roofline_label_title(roofline_, label), roofline_legend_width - 22,
                       roofline_text_size, false, width_of_),
           x_ + 22);
    }
    if (labels.size() <= max_labels) return;
    y_ += line_height;
    text(fmt::format("and {} more", labels.size() - max_labels), x_ + 22, Ink::faint);
  }

  void add_verdicts() {
    y_ += 28;
    text("Shape: limited by", x_, Ink::text, true);
    for (const RooflineVerdict verdict : {RooflineVerdict::compute, RooflineVerdict::memory,
                                          RooflineVerdict::latency, RooflineVerdict::unknown}) {
      const auto has = [&](const RooflineMark& one) { return one.verdict == verdict; };
      if (std::none_of(scene_.points.begin(), scene_.points.end(), has)) continue;
      y_ += line_height;
      scene_.marks.push_back({x_ + 8, y_ - 4, 6, verdict, {}, {}});
      text(std::string(to_string(verdict)), x_ + 22);
    }
  }

  /// That of the most expensive point, and a tenth of it unless that is too small to be an area.
  void add_areas() {
    const int64_t max_ns = point(0).total_ns;
    if (max_ns <= 0) return;  // no point has a duration
    y_ += 28;
    text("Area: time", x_, Ink::text, true);
    y_ += 12;
    for (const int64_t ns : {max_ns, max_ns / 10}) {
      const double radius = roofline_radius(ns, max_ns, drawn_.size());
      if (ns <= 0 || (ns != max_ns && radius <= min_radius)) continue;
      y_ += 2 * radius + 4;
      scene_.marks.push_back({x_ + 22, y_ - radius, radius, RooflineVerdict::memory, {}, {}});
      const double bottom = y_;
      y_ -= radius - 4;
      text(text::human_time(ns), x_ + 50);
      y_ = bottom;
    }
  }

  /// Only where points are computed.
  void add_sources() {
    const auto count = std::count_if(scene_.points.begin(), scene_.points.end(),
                                     [](const RooflineMark& one) { return one.dashed; });
    if (count == 0) return;
    y_ += 28;
    text("Outline: source", x_, Ink::text, true);
    if (static_cast<size_t>(count) < scene_.points.size()) {
      y_ += line_height;
      scene_.marks.push_back({x_ + 8, y_ - 4, 6, RooflineVerdict::memory, {}, {}});
      text("measured by ncu", x_ + 22);
    }
    y_ += line_height;
    scene_.marks.push_back({x_ + 8, y_ - 4, 6, RooflineVerdict::memory, {}, {}, true});
    text("computed from shapes of ops", x_ + 22);
  }

  const Roofline& roofline_;
  const std::vector<size_t>& drawn_;
  RooflineScene& scene_;
  const TextWidth& width_of_;
  double x_, y_;
  bool has_ridges_;  // only these are marked before the legend is
};

std::vector<std::string> words_of_note(const std::string& note) {
  std::vector<std::string> words;
  for (size_t at = 0; at <= note.size();) {
    const size_t end = std::min(note.find(' ', at), note.size());
    words.push_back(note.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

/// Where the legend ends.
double lowest_text(const RooflineScene& scene) {
  double lowest = 0;
  for (const RooflineText& one : scene.texts) lowest = std::max(lowest, one.text.y);
  return lowest;
}

}  // namespace

std::string roofline_color(const Roofline& roofline, const std::string& label) {
  const RooflineLabel* style = roofline_style(roofline, label);
  return style == nullptr ? grey : style->color;
}

std::string roofline_label_title(const Roofline& roofline, const std::string& label) {
  const RooflineLabel* style = roofline_style(roofline, label);
  if (style != nullptr && !style->title.empty()) return printable(style->title);
  return label.empty() ? "no label" : printable(label);
}

double roofline_radius(int64_t ns, int64_t max_ns, size_t points, double scale) {
  if (ns <= 0 || max_ns <= 0) return min_radius;
  const double largest = points <= 1 ? 13 : points <= 24 ? 20 : points <= 80 ? 16 : 13;
  const double part = static_cast<double>(ns) / static_cast<double>(max_ns);
  return std::max(min_radius, scale * largest * std::sqrt(part));
}

void add_roofline_legend(const Roofline& roofline, const std::vector<size_t>& drawn,
                         RooflineScene& scene, const TextWidth& width_of) {
  RooflineLegend(roofline, drawn, scene, width_of).make();
}

void add_roofline_notes(const Roofline& roofline, const std::vector<std::string>& names,
                        RooflineScene& scene, const TextWidth& width_of) {
  double y = lowest_text(scene) + 26;
  for (const std::string& note : roofline_notes(roofline, names)) {
    for (const std::string& line :
         wrapped_text(words_of_note(printable(note)), " ", roofline_sheet_width - 2 * roofline_edge,
                      roofline_text_size, false, width_of)) {
      scene.texts.push_back(
          {{line, roofline_edge, y, roofline_text_size, DrawnText::Align::left, false, 0, {}},
           Ink::faint,
           false});
      y += note_height;
    }
    y += 2;
  }
  scene.height = std::ceil(y + 6);
}

}  // namespace kr::picture
