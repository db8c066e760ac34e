// What the tables of GPU metrics share.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyze/gpu_metrics.hpp"
#include "tables/definition.hpp"

namespace kr::tables {

/// One column per unit of metrics, of which each row has one: `mean_ratio`, `mean_hz`, … `what` is
/// the beginning of their documentation.
std::vector<Column> metric_value_columns(std::string_view prefix, std::string_view what, Role role);
/// The cells of these columns.
void add_metric_value(Cells& row, trace::MetricUnit unit, const std::optional<double>& value);

/// Columns in this order.
std::vector<Column> columns_of(std::initializer_list<std::vector<Column>> parts);

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
