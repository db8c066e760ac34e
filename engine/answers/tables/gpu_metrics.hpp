// What the tables of GPU metrics share.
#pragma once

#include <fmt/format.h>

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyze/gpu_metrics.hpp"
#include "tables/columns.hpp"

namespace kr::tables {

struct UnitColumn {
  trace::MetricUnit unit;
  Unit column;
  std::string_view doc;
};
inline constexpr std::array<UnitColumn, trace::metric_unit_count> unit_columns{
    {{trace::MetricUnit::ratio, Unit::ratio, "a part of the peak, or of the time, from 0 to 1"},
     {trace::MetricUnit::hz, Unit::hz, "hertz"},
     {trace::MetricUnit::bytes_per_s, Unit::per_second, "bytes per second"},
     {trace::MetricUnit::watts, Unit::watts, "watts"},
     {trace::MetricUnit::number, Unit::factor, "another unit, which the name of the metric has"}}};

/// One column per unit of metrics, of which each row has one, `Row::unit()`: `mean_ratio`,
/// `mean_hz`, … `what` is the beginning of their documentation.
template <class Row>
Columns<Row> metric_value_columns(std::string_view prefix, std::string_view what, Role role,
                                  std::optional<double> (*value)(const Row& row)) {
  Columns<Row> columns;
  for (const UnitColumn& one : unit_columns) {
    columns.add({fmt::format("{}_{}", prefix, to_string(one.unit)), one.column, role,
                 fmt::format("{}, if its unit is {}.", what, one.doc),
                 [unit = one.unit, value](const Row& row) {
                   return row.unit() == unit ? value(row) : std::nullopt;
                 },
                 optional});
  }
  return columns;
}

inline constexpr table::Head metric_device{"device", Unit::id, Role::key,
                                           "The device, as in `devices`."};
inline constexpr table::Head metric_name{"metric", Unit::text, Role::key,
                                         "The metric, as the profiler names it."};

/// Why no run has metrics; empty: one has.
std::string without_gpu_metrics(const Source& source);
/// The same, or why no run has metrics by phase and step.
std::string without_metric_steps(const Source& source);

/// Calls `each` for the runs that have metrics.
using EachMetricRun = std::function<void(const Run&, const analyze::GpuMetricSums&)>;
void each_metric_run(const Source& source, const EachMetricRun& each);

/// Calls `each` for every metric of every device in `times`.
using EachMetricPart = std::function<void(
    const analyze::MetricTimes&, const analyze::MetricSummary&, const analyze::MetricPart&)>;
void each_metric_part(const analyze::GpuMetricSums& sums,
                      const std::vector<analyze::MetricTimes>& times, const EachMetricPart& each);

/// The dimensions in the order of all tables.
void each_metric_dimension(const Source& source, const analyze::GpuMetricSums& sums,
                           const std::function<void(const analyze::DimensionMetrics&)>& each);

}  // namespace kr::tables
