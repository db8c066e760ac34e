// NVTX ranges projected on the devices, as `nsys stats` does.
#include <algorithm>
#include <limits>

#include "analyze/run.hpp"
#include "tables/nsys_ranges.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using trace::HostRange;
using trace::HostTrace;

/// What the operations launched inside each range span on the devices.
struct Projection {
  int64_t first_ns = std::numeric_limits<int64_t>::max();
  int64_t last_ns = 0;
  int64_t operations = 0;
  int64_t children = 0;  // ranges directly inside that have operations
  int64_t level = 0;     // ranges that enclose it

  bool any() const noexcept { return operations > 0; }
};

std::vector<Projection> projections_of(const trace::Trace& trace) {
  const HostTrace& host = *trace.host;
  std::vector<Projection> all(host.ranges.size());
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const trace::Launch* const launch = host.launch(i);
    if (launch == nullptr) continue;
    const trace::Operation& operation = trace.operations[i];
    each_enclosing(host, *launch, [&](uint32_t range) {
      Projection& one = all[range];
      one.first_ns = std::min(one.first_ns, operation.start_ns);
      one.last_ns = std::max(one.last_ns, operation.end_ns());
      ++one.operations;
    });
  }
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i].any()) continue;
    uint32_t outer = host.ranges[i].parent;
    while (outer != HostRange::none &&
           (!is_nvtx(host.ranges[outer]) || host.ranges[outer].end_ns < host.ranges[i].end_ns)) {
      outer = host.ranges[outer].parent;
    }
    if (outer == HostRange::none) continue;
    all[i].level = all[outer].level + 1;
    ++all[outer].children;
  }
  return all;
}

/// Sums over the ranges of a group that have operations.
struct ProjectionSum {
  int64_t range_ns = 0;
  int64_t operations = 0;
  int64_t children = 0;
  int64_t levels = 0;
};

using ProjectionRow = Parts<Run, analyze::Spread, RangeTitle, ProjectionSum>;

/// A sum per range.
template <int64_t ProjectionSum::*of>
double mean_of(const ProjectionRow& row) {
  return ratio_of(row.of<ProjectionSum>().*of, count_of(row));
}

void add_projections(const Source& source, Rows<ProjectionRow>& rows) {
  for (const Run& run : source.runs) {
    const trace::Trace& trace = run.get<analyze::LabelledTrace>().trace;
    if (!trace.host) continue;
    const HostTrace& host = *trace.host;
    const RangeGroups names(host);
    const int64_t last = last_time(host);
    const std::vector<Projection> all = projections_of(trace);
    std::vector<ProjectionSum> sums(names.titles().size());
    for (size_t i = 0; i < all.size(); ++i) {
      if (!all[i].any()) continue;
      const HostRange& range = host.ranges[i];
      ProjectionSum& sum = sums[names.group(range)];
      if (__builtin_add_overflow(sum.range_ns, length_of(range, last), &sum.range_ns)) {
        sum.range_ns = std::numeric_limits<int64_t>::max();
      }
      sum.operations += all[i].operations;
      sum.children += all[i].children;
      sum.levels += all[i].level;
    }
    const auto spreads = analyze::spreads(sums.size(), [&](const auto& add) {
      for (size_t i = 0; i < all.size(); ++i) {
        if (all[i].any()) add(names.group(host.ranges[i]), all[i].last_ns - all[i].first_ns);
      }
    });
    for (const SpreadGroup& one : by_total(names.spread_groups(), spreads)) {
      rows.add({run, spreads[one.group], names.titles()[one.group], sums[one.group]});
    }
  }
}

}  // namespace

const Definition nvtx_gpu_proj_sum_table = TableOf<ProjectionRow>{
    stats_info<ProjectionRow>(
        "nvtx_gpu_proj_sum", "ranges of NVTX projected on the GPU",
        "One row per run and text of NVTX ranges in which operations were launched, by descending "
        "projected time.",
        {range_columns<ProjectionRow>(),
         {"total_ns", Unit::ns, Role::measure,
          "The sum of the projected times: of each range, from the start of the first operation "
          "that was launched inside to the end of the last one.",
          sum_of},
         {"range_ns", Unit::ns, Role::measure,
          "The sum of the durations of these ranges on the host.", &ProjectionSum::range_ns},
         {"instances", Unit::count, Role::measure, "Ranges in which operations were launched.",
          count_of},
         moment_columns<ProjectionRow>(
             {"{}_ns", " projected time", " of projected times; 0 for one"}),
         {"operations", Unit::count, Role::measure, "Operations that were launched inside.",
          &ProjectionSum::operations},
         {"operations_mean", Unit::count, Role::detail, "Their mean number per range.",
          mean_of<&ProjectionSum::operations>},
         {"level_mean", Unit::count, Role::detail,
          "How many ranges enclose the range on its thread, in the mean.",
          mean_of<&ProjectionSum::levels>},
         {"children_mean", Unit::count, Role::detail,
          "How many ranges with operations are directly inside, in the mean.",
          mean_of<&ProjectionSum::children>}},
        {{"Range", {"domain", "name"}, AliasForm::scoped},
         {"Style", {"style"}},
         {"Total Proj Time (ns)", {"total_ns"}},
         {"Total Range Time (ns)", {"range_ns"}},
         {"Range Instances", {"instances"}},
         {"Proj Avg (ns)", {"mean_ns"}},
         {"Proj Med (ns)", {"median_ns"}},
         {"Proj Min (ns)", {"min_ns"}},
         {"Proj Max (ns)", {"max_ns"}},
         {"Proj StdDev (ns)", {"stddev_ns"}},
         {"Total GPU Ops", {"operations"}},
         {"Avg GPU Ops", {"operations_mean"}},
         {"Avg Range Lvl", {"level_mean"}},
         {"Avg Num Child", {"children_mean"}}}),
    needs<analyze::LabelledTrace>, add_projections, without_ranges, facts::Reads::host};

}  // namespace kr::tables
