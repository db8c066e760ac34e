#include "picture/roofline_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "base/error.hpp"
#include "base/plural.hpp"
#include "picture/color.hpp"

namespace kr::picture {
namespace {

/// A row by the ids of its columns. One that the table does not have is empty.
class RowOf {
 public:
  explicit RowOf(const table::Table& table) {
    for (size_t i = 0; i < table.columns().size(); ++i) places_[table.columns()[i].id] = i;
  }
  void set(std::span<const table::Cell> cells) { cells_ = cells; }

  std::string text(std::string_view column) const {
    const table::Cell found = cell(column);
    const auto* text = std::get_if<std::string_view>(&found);
    return text == nullptr ? std::string() : std::string(*text);
  }
  /// 0 if there is none.
  double number(std::string_view column) const {
    const table::Cell found = cell(column);
    if (const auto* whole = std::get_if<int64_t>(&found)) return static_cast<double>(*whole);
    const auto* number = std::get_if<double>(&found);
    return number == nullptr ? 0 : *number;
  }
  int64_t whole(std::string_view column) const {
    const table::Cell found = cell(column);
    const auto* whole = std::get_if<int64_t>(&found);
    return whole == nullptr ? 0 : *whole;
  }

 private:
  table::Cell cell(std::string_view column) const {
    const auto at = places_.find(column);
    return at == places_.end() ? table::Cell() : cells_[at->second];
  }
  std::map<std::string, size_t, std::less<>> places_;
  std::span<const table::Cell> cells_;
};

template <class Each>
void each_row(const table::Table& table, const Each& each) {
  RowOf row(table);
  table::RowsTo rows([&](std::span<const table::Cell> cells) {
    row.set(cells);
    each(row);
  });
  table.write(rows);
}

/// The only one of the table, and how it is called in a title.
std::string run_of(const table::Table& roofline) {
  std::set<std::string> runs;
  each_row(roofline, [&](const RowOf& row) { runs.insert(row.text("run")); });
  if (runs.size() > 1) {
    throw Error("", fmt::format("a roofline shows one run, and there are {}", runs.size()),
                "name one run for --roofline");
  }
  return runs.empty() ? std::string() : *runs.begin();
}

constexpr std::string_view kernel_level = "kernel";

/// Kernels, else labels of the dimension, else what is first.
std::string level_of(const table::Table& roofline, std::string_view dimension) {
  std::string level;
  each_row(roofline, [&](const RowOf& row) {
    const std::string one = row.text("scope");
    const bool better = level != kernel_level && one == dimension;
    if (level.empty() || one == kernel_level || better) level = one;
  });
  return level;
}

bool is_computed(const RowOf& row) {
  return row.text("source") == "shapes";
}

RooflineLabel look_of(const std::string& label, const std::vector<LabelStyle>& styles,
                      std::string_view dimension) {
  const LabelStyle* found = nullptr;
  for (const LabelStyle& style : styles) {
    if (style.label != label) continue;
    if (found == nullptr || style.dimension == dimension) found = &style;
  }
  if (found == nullptr) return {label, {}, grey};
  return {label, found->title, found->color};
}

/// A row of another level is a label itself.
std::string label_of(const RowOf& row, const std::string& level, const std::string& dimension) {
  if (level != kernel_level) return row.text("key");
  for (const std::string& column : {dimension, dimension + "_label"}) {
    std::string label = row.text(column);
    if (!label.empty()) return label;
  }
  return row.text("label");
}

std::string shape_of(const RowOf& row) {
  const std::string grid = row.text("grid"), block = row.text("block");
  if (grid.empty()) return {};
  return block.empty() ? fmt::format("grid {}", grid)
                       : fmt::format("grid {}, block {}", grid, block);
}

/// All but its label.
RooflinePoint point_of(const RowOf& row) {
  RooflinePoint point;
  point.computed = is_computed(row);
  point.no_cost = row.text("no_cost");
  point.name = row.text("key");
  point.precision = row.text("precision");
  point.launch = shape_of(row);
  point.verdict = roofline_verdict(row.text("verdict"));
  if (point.verdict == RooflineVerdict::unknown) {
    point.verdict = roofline_verdict(row.text("bound"));
  }
  point.intensity = row.number("intensity");
  point.flops_per_s = row.number("flops_per_s");
  point.total_ns = row.whole("total_ns");
  point.peak_ratio = row.number("peak_ratio");
  return point;
}

void add_points(const table::Table& table, const std::string& level, const std::string& dimension,
                Roofline& roofline) {
  each_row(table, [&](const RowOf& row) {
    const std::string of = row.text("scope");
    // What is computed is shown beside the kernels that were measured.
    if (of != level && !(is_computed(row) && of == dimension)) return;
    RooflinePoint point = point_of(row);
    point.label = label_of(row, of, dimension);
    roofline.points.push_back(std::move(point));
  });
}

/// `FP32` of `fp32`, `tensor`.
std::string roof_name(const std::string& precision) {
  if (!precision.starts_with("fp")) return precision;
  return "FP" + precision.substr(2);
}

/// The highest peaks of points, their roofs where there is no table of these.
class Peaks {
 public:
  void add(const RowOf& row) {
    const std::string precision = row.text("precision");
    if (!precision.empty()) {
      double& peak = compute_[precision];
      peak = std::max(peak, row.number("peak_flops_per_s"));
    }
    dram_ = std::max(dram_, row.number("peak_bytes_per_s"));
    l2_ = std::max(l2_, row.number("peak_l2_bytes_per_s"));
  }
  void to_roofs(std::vector<RooflineRoof>& roofs) const {
    const std::string source =
        "the highest peak of these kernels, by the profile or the data sheet";
    for (const auto& [precision, peak] : compute_) {
      roofs.push_back({RooflineRoof::Kind::compute, roof_name(precision), peak, source});
    }
    roofs.push_back({RooflineRoof::Kind::memory, "DRAM", dram_, source});
    roofs.push_back({RooflineRoof::Kind::memory, "L2", l2_, source});
  }

 private:
  std::map<std::string, double> compute_;  // by precision
  double dram_ = 0, l2_ = 0;
};

struct RunRoofs {
  std::vector<RooflineRoof> roofs;  // their names have the GPU if there are several
  std::set<std::string> devices;
};

std::map<std::string, RunRoofs> roofs_by_run(const table::Table& table) {
  std::map<std::string, RunRoofs> made;
  each_row(table, [&](const RowOf& row) {
    if (const std::string device = row.text("device"); !device.empty()) {
      made[row.text("run")].devices.insert(device);
    }
  });
  each_row(table, [&](const RowOf& row) {
    RunRoofs& of_run = made[row.text("run")];
    RooflineRoof roof;
    roof.kind =
        row.text("kind") == "memory" ? RooflineRoof::Kind::memory : RooflineRoof::Kind::compute;
    roof.name = row.text("name");
    roof.is_measured = roof.name.ends_with(" reached");
    if (of_run.devices.size() > 1) roof.name += fmt::format(" of {}", row.text("device"));
    roof.per_second = row.number("per_second");
    roof.source = row.text("source");
    of_run.roofs.push_back(std::move(roof));
  });
  return made;
}

}  // namespace

Roofline roofline_of(const table::Table& roofline, const table::Table* roofs,
                     const std::vector<LabelStyle>& styles, std::string_view dimension) {
  Roofline made;
  const std::string run = run_of(roofline);
  const std::string level = level_of(roofline, dimension);
  made.title = run.empty() ? "Roofline" : fmt::format("Roofline of {}", run);
  add_points(roofline, level, std::string(dimension), made);
  if (roofs != nullptr) {
    RunRoofs of_run = roofs_by_run(*roofs)[run];
    made.roofs = std::move(of_run.roofs);
    made.facts.assign(of_run.devices.begin(), of_run.devices.end());
  }
  if (made.roofs.empty()) {
    Peaks peaks;
    each_row(roofline, [&](const RowOf& row) {
      if (row.text("scope") == level) peaks.add(row);
    });
    peaks.to_roofs(made.roofs);
  }
  size_t measured = 0, computed = 0;
  for (const RooflinePoint& point : made.points) {
    measured += point.computed ? 0 : 1;
    computed += point.computed && point.no_cost.empty() ? 1 : 0;
  }
  if (measured > 0 || computed == 0) {
    made.facts.push_back(plural(measured, level.empty() ? kernel_level : level));
  }
  if (computed > 0) {
    made.facts.push_back(plural(computed, "label") + " of " + std::string(dimension) +
                         ", computed from shapes of ops");
  }
  std::set<std::string> labels;
  for (const RooflinePoint& point : made.points) labels.insert(point.label);
  const std::string_view of = level == kernel_level ? dimension : std::string_view(level);
  for (const std::string& label : labels) made.labels.push_back(look_of(label, styles, of));
  return made;
}

std::vector<LevelRoofline> rooflines_by_level(const table::Table& roofline,
                                              const table::Table* roofs) {
  std::vector<LevelRoofline> made;
  std::vector<Peaks> peaks;
  std::map<std::pair<std::string, std::string>, size_t> places;
  each_row(roofline, [&](const RowOf& row) {
    std::string run = row.text("run"), level = row.text("scope");
    const auto [at, fresh] = places.try_emplace({run, level}, made.size());
    if (fresh) {
      made.push_back({std::move(run), std::move(level), {}});
      peaks.emplace_back();
    }
    made[at->second].roofline.points.push_back(point_of(row));
    peaks[at->second].add(row);
  });
  std::map<std::string, RunRoofs> roofs_of;
  if (roofs != nullptr) roofs_of = roofs_by_run(*roofs);
  for (size_t i = 0; i < made.size(); ++i) {
    Roofline& one = made[i].roofline;
    one.roofs = roofs_of[made[i].run].roofs;
    if (one.roofs.empty()) peaks[i].to_roofs(one.roofs);
  }
  return made;
}

}  // namespace kr::picture
