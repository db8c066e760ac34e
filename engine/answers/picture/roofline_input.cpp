#include "picture/roofline_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/ascii.hpp"
#include "base/join.hpp"
#include "base/plural.hpp"
#include "text/names.hpp"
#include "text/numbers.hpp"

namespace kr::picture {
namespace {

using Kind = RooflineRoof::Kind;

bool is_rate(double value) {
  return std::isfinite(value) && value > 0;
}

bool same_height(double one, double other) {
  return std::fabs(one - other) <= 0.005 * std::max(one, other);
}

/// `FP32` and `DRAM` of one line, with what they can.
std::string roof_text(const std::vector<std::string>& names, Kind kind, double per_second) {
  return fmt::format("{} {}", join(names, ", "),
                     text::in_si(per_second, kind == Kind::compute ? "FLOP/s" : "B/s"));
}

/// Of points that are not drawn for one reason.
std::string omitted_note(const Roofline& roofline, const std::vector<std::string>& names,
                         std::vector<size_t> places, std::string_view noun,
                         std::string_view reason) {
  std::stable_sort(places.begin(), places.end(), [&](size_t a, size_t b) {
    return roofline.points[a].total_ns > roofline.points[b].total_ns;
  });
  constexpr size_t max_named = 5;
  int64_t total_ns = 0;
  std::vector<std::string> named;
  for (const size_t place : places) {
    const int64_t ns = roofline.points[place].total_ns;
    total_ns += ns;
    if (named.size() < max_named) {
      named.push_back(fmt::format("{} {}", names[place], point_time(ns)));
    }
  }
  std::string text = fmt::format("Not drawn: {} {}, {}: {}", plural(places.size(), noun), reason,
                                 point_time(total_ns), join(named, ", "));
  if (places.size() > max_named) text += fmt::format(" and {} more", places.size() - max_named);
  return text + '.';
}

/// A reason of the table `roofline`, behind a number of labels.
std::string no_cost_phrase(std::string_view reason) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> phrases{{
      {"no op", "with operations that no op launched"},
      {"in a graph", "with operations of graphs whose ops are not known"},
      {"no shapes", "with ops whose shapes were not recorded"},
      {"no clause fits", "with ops that no cost clause fits"},
      {"no amounts", "with ops whose clause needs what was not recorded"},
      {"no FLOPs", "with ops whose FLOPs are not known"},
      {"no bytes", "with ops whose bytes are not known"},
      {"above the peak", "with ops above the peak of the GPU, so that their cost is wrong"},
  }};
  for (const auto& [word, phrase] : phrases) {
    if (word == reason) return std::string(phrase);
  }
  return fmt::format("({})", reason);
}

/// `Roofs: FP32 93.6 TFLOP/s, DRAM 1.76 TB/s (metrics of the profile).` What the GPU reached is no
/// upper limit: it is not drawn.
void add_sources(const Roofline& roofline, std::vector<std::string>& notes) {
  std::vector<std::string> sources;  // in order
  std::map<std::string, std::vector<std::string>> roofs_of;
  std::set<std::string> undrawn;
  for (const RooflineRoof& roof : roofline.roofs) {
    if (!is_rate(roof.per_second)) continue;
    auto& roofs = roofs_of[roof.source];
    if (roofs.empty()) sources.push_back(roof.source);
    if (roof.is_measured) undrawn.insert(roof.source);
    roofs.push_back(roof_text({roof.name}, roof.kind, roof.per_second));
  }
  if (sources.empty()) {
    notes.emplace_back(
        "No roofs: neither the profile nor a data sheet has them; --gpu NAME names the GPU.");
    return;
  }
  for (const std::string& source : sources) {
    std::string text = fmt::format("{}: {}", undrawn.contains(source) ? "Not drawn" : "Roofs",
                                   join(roofs_of[source], ", "));
    if (!source.empty()) text += fmt::format(" ({})", source);
    notes.push_back(text + '.');
  }
}

/// Those of tensor cores are of all their precisions, if the profile does not say which one it is.
bool is_roof_of(const RooflineRoof& roof, const std::string& precision) {
  if (roof.is_measured || roof.kind != Kind::compute || !is_rate(roof.per_second)) return false;
  const std::string name = lowered(roof.name);
  return name == precision || (precision == "tensor" && name.find("tensor") != std::string::npos);
}

}  // namespace

RooflineVerdict roofline_verdict(std::string_view text) {
  for (const RooflineVerdict one :
       {RooflineVerdict::compute, RooflineVerdict::memory, RooflineVerdict::latency}) {
    if (text == to_string(one)) return one;
  }
  return RooflineVerdict::unknown;
}

std::string_view to_string(RooflineVerdict verdict) {
  switch (verdict) {
    case RooflineVerdict::compute:
      return "compute";
    case RooflineVerdict::memory:
      return "memory";
    case RooflineVerdict::latency:
      return "latency";
    case RooflineVerdict::unknown:
      break;
  }
  return "not known";
}

std::vector<RoofLine> roof_lines(const std::vector<RooflineRoof>& roofs) {
  std::vector<RoofLine> lines;
  std::vector<std::vector<std::string>> names;  // by line
  for (const RooflineRoof& roof : roofs) {
    if (roof.is_measured || !is_rate(roof.per_second)) continue;
    const auto same = std::find_if(lines.begin(), lines.end(), [&](const RoofLine& line) {
      return line.kind == roof.kind && same_height(line.per_second, roof.per_second);
    });
    const auto at = static_cast<size_t>(same - lines.begin());
    if (same == lines.end()) {
      lines.push_back({roof.kind, roof.per_second, {}});
      names.emplace_back();
    }
    std::vector<std::string>& of_line = names[at];
    if (std::find(of_line.begin(), of_line.end(), roof.name) == of_line.end()) {
      of_line.push_back(roof.name);
    }
  }
  for (size_t i = 0; i < lines.size(); ++i) {
    lines[i].text = roof_text(names[i], lines[i].kind, lines[i].per_second);
  }
  std::stable_sort(lines.begin(), lines.end(), [](const RoofLine& a, const RoofLine& b) {
    return a.per_second > b.per_second;
  });
  return lines;
}

std::set<std::string> missing_roofs(const Roofline& roofline) {
  std::set<std::string> missing;
  for (const RooflinePoint& point : roofline.points) {
    if (point.precision.empty() || !is_rate(point.flops_per_s)) continue;
    const bool has = std::any_of(
        roofline.roofs.begin(), roofline.roofs.end(),
        [&](const RooflineRoof& roof) { return is_roof_of(roof, lowered(point.precision)); });
    if (!has) missing.insert(point.precision);
  }
  return missing;
}

std::vector<size_t> drawn_points(const std::vector<RooflinePoint>& points) {
  std::vector<size_t> drawn;
  for (size_t i = 0; i < points.size(); ++i) {
    if (is_rate(points[i].intensity) && is_rate(points[i].flops_per_s)) drawn.push_back(i);
  }
  std::stable_sort(drawn.begin(), drawn.end(),
                   [&](size_t a, size_t b) { return points[a].total_ns > points[b].total_ns; });
  return drawn;
}

std::string point_time(int64_t total_ns) {
  return total_ns > 0 ? text::human_time(total_ns) : "no duration";
}

std::vector<std::string> point_names(const std::vector<RooflinePoint>& points, size_t width) {
  std::map<std::string_view, size_t> places;  // of distinct names
  std::map<std::string_view, std::set<std::string_view>> precisions;
  std::vector<std::string_view> distinct;
  for (const RooflinePoint& point : points) {
    if (places.try_emplace(point.name, distinct.size()).second) distinct.push_back(point.name);
    if (point.no_cost.empty()) precisions[point.name].insert(point.precision);
  }
  const std::vector<std::string> texts = text::cut_names(text::short_names(distinct), width);
  std::vector<std::string> names;
  names.reserve(points.size());
  for (const RooflinePoint& point : points) {
    names.push_back(texts[places[point.name]]);
    if (point.no_cost.empty() && precisions[point.name].size() > 1)
      names.back() += fmt::format(" ({})", point.precision);
  }
  return names;
}

std::vector<std::string> roofline_notes(const Roofline& roofline,
                                        const std::vector<std::string>& names) {
  std::vector<std::string> notes;
  add_sources(roofline, notes);
  const std::set<std::string> missing = missing_roofs(roofline);
  if (!missing.empty()) {
    notes.push_back(fmt::format("No compute roof is known for {}.", join(missing, ", ")));
  }
  std::vector<size_t> no_operations, no_bytes;
  std::map<std::string, std::vector<size_t>> no_cost;  // by reason
  int64_t total_ns = 0, computed_ns = 0;
  for (size_t i = 0; i < roofline.points.size(); ++i) {
    const RooflinePoint& point = roofline.points[i];
    if (point.computed) total_ns += point.total_ns;
    if (point.computed && point.no_cost.empty()) computed_ns += point.total_ns;
    if (!point.no_cost.empty()) {
      no_cost[point.no_cost].push_back(i);
    } else if (!is_rate(roofline.points[i].flops_per_s)) {
      no_operations.push_back(i);
    } else if (!is_rate(roofline.points[i].intensity)) {
      no_bytes.push_back(i);
    }
  }
  if (!no_operations.empty()) {
    notes.push_back(omitted_note(roofline, names, no_operations, "point",
                                 "without counted floating-point operations"));
  }
  if (!no_bytes.empty()) {
    notes.push_back(omitted_note(roofline, names, no_bytes, "point", "without counted DRAM bytes"));
  }
  if (computed_ns < total_ns) {
    notes.push_back(fmt::format("Computed points are of {} % of the GPU time.",
                                text::share(computed_ns, total_ns)));
  }
  for (const auto& [reason, places] : no_cost) {
    notes.push_back(omitted_note(roofline, names, places, "label", no_cost_phrase(reason)));
  }
  return notes;
}

}  // namespace kr::picture
