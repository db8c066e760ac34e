// Clocks and power by label, and the metrics most often used side by side.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/ascii.hpp"
#include "tables/columns.hpp"
#include "tables/gpu_metrics.hpp"
#include "tables/scoped.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using analyze::GpuMetricSums;
using analyze::MetricPart;
using analyze::MetricSummary;
using analyze::MetricTimes;
using trace::MetricUnit;

/// A part of the own time, as the samples are spread over it.
int64_t part_of(int64_t own_ns, int64_t part, int64_t all) {
  const auto share = static_cast<long double>(part) / static_cast<long double>(all);
  return static_cast<int64_t>(std::llroundl(static_cast<long double>(own_ns) * share));
}

struct BelowHighestRow : Parts<Run, MetricTimes, MetricSummary, MetricPart> {
  std::string_view dimension;
  std::string_view label;
};

template <MetricUnit unit>
void add_below_highest(const Source& source, Rows<BelowHighestRow>& rows) {
  each_metric_run(source, [&](const Run& run, const GpuMetricSums& sums) {
    each_metric_dimension(source, sums, [&](const analyze::DimensionMetrics& dimension) {
      each_metric_part(
          sums, dimension.times, [&](const auto& times, const auto& metric, const auto& part) {
            if (metric.unit != unit) return;
            rows.add(
                {{run, times, metric, part}, dimension.dimension, dimension.labels[times.key]});
          });
    });
  });
}

template <MetricUnit unit>
std::string without_metric(const Source& source) {
  if (std::string why = without_gpu_metrics(source); !why.empty()) return why;
  bool any = false;
  each_metric_run(source, [&](const Run&, const GpuMetricSums& sums) {
    any |= std::any_of(sums.metrics.begin(), sums.metrics.end(),
                       [](const MetricSummary& one) { return one.unit == unit && one.device; });
  });
  return any ? std::string()
             : fmt::format("no GPU metric of the runs is {}",
                           unit == MetricUnit::hz ? "a clock" : "power");
}

Columns<BelowHighestRow> below_columns(std::string_view what, std::string_view unit, Unit column) {
  return {
      run_column,
      {metric_device, &MetricTimes::device},
      {head::dimension, &BelowHighestRow::dimension},
      {head::label, &BelowHighestRow::label},
      {"metric", Unit::text, Role::key, fmt::format("The {}, as the profiler names it.", what),
       &MetricSummary::name},
      {"samples", Unit::count, Role::detail, "Samples in the label's own time.",
       &MetricPart::samples},
      {"own_ns", Unit::ns, Role::measure,
       "The time in which at least one of its operations ran on the device.", &MetricTimes::own_ns},
      {"below_ns", Unit::ns, Role::measure,
       fmt::format("`share` of `own_ns`: the time in which the {} was below the highest.", what),
       [](const BelowHighestRow& row) {
         const MetricPart& part = row;
         return part.mean
                    ? Cell(part_of(row.of<MetricTimes>().own_ns, part.below_samples, part.samples))
                    : Cell();
       },
       optional},
      {"share", Unit::ratio, Role::measure,
       "The part of the samples that is more than 0.5 % below the highest; empty for fewer than "
       "two samples.",
       [](const MetricPart& part) {
         return part.mean ? Cell(ratio_of(part.below_samples, part.samples)) : Cell();
       },
       optional | read_with("below_ns")},
      {fmt::format("mean_{}", unit), column, Role::measure,
       "The mean of the samples; empty for fewer than two.", &MetricPart::mean, optional},
      {fmt::format("highest_{}", unit), column, Role::detail,
       "The greatest sample of the device in the whole trace.", &MetricSummary::max}};
}

/// A metric that is often used, by the beginnings of its names.
struct KnownMetric {
  std::string_view column;
  Role role;
  std::array<std::string_view, 2> names;
  std::string_view doc;
};
constexpr std::array known_metrics{
    KnownMetric{"sm_active",
                Role::measure,
                {"SMs Active", "SM Active"},
                "The part of the time in which an SM had a warp, as a mean over all SMs."},
    KnownMetric{"sm_issue",
                Role::detail,
                {"SM Issue", "SM Issue"},
                "The part of the cycles in which an SM sub-partition issued an instruction."},
    KnownMetric{"tensor_active",
                Role::measure,
                {"Tensor Active", "Tensor Pipe Active"},
                "The part of the cycles in which the tensor pipe was active."},
    KnownMetric{"dram_read",
                Role::measure,
                {"DRAM Read Bandwidth", "DRAM Read Throughput"},
                "DRAM reads as a part of the peak bandwidth."},
    KnownMetric{"dram_write",
                Role::measure,
                {"DRAM Write Bandwidth", "DRAM Write Throughput"},
                "DRAM writes as a part of the peak bandwidth."},
    KnownMetric{"pcie_in",
                Role::detail,
                {"PCIe RX Throughput", "PCIe RX Bandwidth"},
                "What came through PCIe, as a part of the peak."},
    KnownMetric{"pcie_out",
                Role::detail,
                {"PCIe TX Throughput", "PCIe TX Bandwidth"},
                "What went out through PCIe, as a part of the peak."}};

bool is(const MetricSummary& metric, const KnownMetric& known) {
  return metric.unit == MetricUnit::ratio &&
         std::any_of(known.names.begin(), known.names.end(), [&](std::string_view name) {
           return same_ignoring_case(std::string_view(metric.name).substr(0, name.size()), name);
         });
}

/// The parts of the known metrics; those that the device lacks have no samples.
std::array<MetricPart, known_metrics.size()> known_parts(const GpuMetricSums& sums,
                                                         const MetricTimes& times,
                                                         const std::vector<size_t>& metrics) {
  std::array<MetricPart, known_metrics.size()> parts;
  for (size_t known = 0; known < known_metrics.size(); ++known) {
    for (size_t place = 0; place < metrics.size(); ++place) {
      if (!is(sums.metrics[metrics[place]], known_metrics[known])) continue;
      parts[known] = times.part(place);
      break;
    }
  }
  return parts;
}

/// The part with most samples, the first of several.
MetricPart max_sampled(const MetricTimes& times) {
  MetricPart most;
  for (const MetricPart& part : times.parts) {
    if (part.samples > most.samples) most = part;
  }
  return most;
}

struct UtilizationRow : Parts<Run, MetricTimes, MetricPart> {
  std::string_view dimension;
  std::string_view label;
  const std::array<MetricPart, known_metrics.size()>& known;
};

void add_utilization(const Source& source, Rows<UtilizationRow>& rows) {
  each_metric_run(source, [&](const Run& run, const GpuMetricSums& sums) {
    each_metric_dimension(source, sums, [&](const analyze::DimensionMetrics& dimension) {
      for (const MetricTimes& times : dimension.times) {
        rows.add({{run, times, max_sampled(times)},
                  dimension.dimension,
                  dimension.labels[times.key],
                  known_parts(sums, times, sums.metrics_of(times.device))});
      }
    });
  });
}

std::string without_known_metrics(const Source& source) {
  if (std::string why = without_gpu_metrics(source); !why.empty()) return why;
  bool any = false;
  each_metric_run(source, [&](const Run&, const GpuMetricSums& sums) {
    for (const MetricSummary& metric : sums.metrics) {
      any |= metric.device && std::any_of(known_metrics.begin(), known_metrics.end(),
                                          [&](const auto& known) { return is(metric, known); });
    }
  });
  return any ? std::string() : "the runs have other GPU metrics: see `gpu_metrics`";
}

Columns<UtilizationRow> known_columns() {
  Columns<UtilizationRow> columns;
  for (size_t i = 0; i < known_metrics.size(); ++i) {
    const KnownMetric& known = known_metrics[i];
    columns.add({std::string(known.column), Unit::ratio, known.role, std::string(known.doc),
                 [i](const UtilizationRow& row) { return row.known[i].mean; }, optional});
  }
  return columns;
}

}  // namespace

const Definition gpu_utilization_table = TableOf<UtilizationRow>{
    {.id = "gpu_utilization",
     .title = "utilization of GPUs by label",
     .doc = "One row per run, device, dimension and label that has operations there: the means of "
            "the GPU metrics most often used, as in `gpu_metrics`, which has all. A cell "
            "is empty for fewer than two samples.",
     .columns = {run_column,
                 {metric_device, &MetricTimes::device},
                 {head::dimension, &UtilizationRow::dimension},
                 {head::label, &UtilizationRow::label},
                 {"own_ns", Unit::ns, Role::detail,
                  "The time in which at least one of its operations ran on the device.",
                  &MetricTimes::own_ns},
                 {"samples", Unit::count, Role::measure,
                  "Samples in this time, of the metric that has most of them.",
                  &MetricPart::samples},
                 {"shared_samples", Unit::count, Role::detail,
                  "Of these, those at whose time another operation ran on the device, too.",
                  &MetricPart::shared_samples},
                 {"mixed_samples", Unit::count, Role::detail,
                  "Of these, those within whose period another operation ran on the device.",
                  &MetricPart::mixed_samples},
                 known_columns()}},
    needs<analyze::GpuMetricSums>,
    add_utilization,
    without_known_metrics};

const Definition gpu_clock_part = TableOf<BelowHighestRow>{
    {.id = "gpu_clock",
     .title = "clocks below the highest by label",
     .doc = "One row per run, device, dimension, label that has operations there, and clock: how "
            "long it was below the highest that the trace has. A GPU lowers its clocks when it is "
            "too hot or needs too much power.",
     .columns = below_columns("clock", "hz", Unit::hz)},
    needs<analyze::GpuMetricSums>,
    add_below_highest<MetricUnit::hz>,
    without_metric<MetricUnit::hz>};

const Definition gpu_power_part = TableOf<BelowHighestRow>{
    {.id = "gpu_power",
     .title = "power below the highest by label",
     .doc = "One row per run, device, dimension, label that has operations there, and metric in "
            "watts: how long it was below the highest that the trace has.",
     .columns = below_columns("power", "watts", Unit::watts)},
    needs<analyze::GpuMetricSums>,
    add_below_highest<MetricUnit::watts>,
    without_metric<MetricUnit::watts>};

const Definition gpu_below_highest_table =
    scoped("gpu_below_highest", "clocks and power below the highest by label",
           "One row per run, device, label that has operations there, and clock or metric in "
           "watts: how long it was below the highest that the trace has.",
           {{.part = gpu_clock_part, .by = "dimension", .key = "label"},
            {.part = gpu_power_part, .by = "dimension", .key = "label"}});

}  // namespace kr::tables
