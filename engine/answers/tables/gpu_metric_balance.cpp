// Sampled metrics of GPUs, compared over the devices of all ranks.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analyze/gpu_metrics.hpp"
#include "tables/gpu_metrics.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using analyze::MetricPart;
using analyze::MetricSummary;
using analyze::MetricTimes;
using trace::MetricUnit;

/// The values of one metric on the devices of all ranks.
struct DeviceValues {
  struct Value {
    size_t run;
    int32_t device;
    double value;
  };
  MetricUnit unit = MetricUnit::number;
  std::vector<Value> values;

  void add_to(const Source& source, Cells& row) const {
    const auto less = [](const Value& a, const Value& b) { return a.value < b.value; };
    const Value& least = *std::min_element(values.begin(), values.end(), less);
    const Value& most = *std::max_element(values.begin(), values.end(), less);
    double sum = 0;
    for (const Value& one : values) sum += one.value;
    row.insert(row.end(), {to_string(unit), static_cast<int64_t>(values.size())});
    add_metric_value(row, unit, least.value);
    add_metric_value(row, unit, sum / static_cast<double>(values.size()));
    add_metric_value(row, unit, most.value);
    for (const Value* one : {&least, &most}) {
      row.insert(row.end(), {source.rank(one->run), int64_t{one->device}});
    }
  }
};

/// Keys are texts that begin a row, in the order first met.
class BalanceRows {
 public:
  void add(std::vector<std::string> key, MetricUnit unit, const DeviceValues::Value& value) {
    const auto [at, added] = places_.try_emplace(std::move(key), rows_.size());
    if (added) rows_.push_back({&at->first, {unit, {}}});
    rows_[at->second].second.values.push_back(value);
  }
  void write(const Source& source, RowSink& sink) const {
    Cells row;
    for (const auto& [key, values] : rows_) {
      row.clear();
      for (const std::string& text : *key) row.push_back(text);
      values.add_to(source, row);
      sink.row(row);
    }
  }

 private:
  std::map<std::vector<std::string>, size_t> places_;
  std::vector<std::pair<const std::vector<std::string>*, DeviceValues>> rows_;
};

/// The profiler samples GPUs that the run does not use, too.
bool is_used(const Run& run, const MetricSummary& metric) {
  const std::vector<analyze::DeviceSum>& all = run.summary.devices;
  return metric.samples > 0 && std::any_of(all.begin(), all.end(), [&](const auto& one) {
           return metric.device == one.device;
         });
}

void add_metric_balance(const Source& source, RowSink& sink) {
  BalanceRows rows;
  for (size_t run = 0; run < source.runs.size(); ++run) {
    const auto* const sums = source.runs[run].find<analyze::GpuMetricSums>();
    if (!sums) continue;
    for (const MetricSummary& metric : sums->metrics) {
      if (!is_used(source.runs[run], metric)) continue;
      rows.add({metric.name}, metric.unit, {run, *metric.device, metric.mean});
    }
  }
  rows.write(source, sink);
}

void add_metric_label_balance(const Source& source, RowSink& sink) {
  BalanceRows rows;
  for (size_t run = 0; run < source.runs.size(); ++run) {
    const auto* const sums = source.runs[run].find<analyze::GpuMetricSums>();
    if (!sums) continue;
    each_metric_dimension(source, *sums, [&](const analyze::DimensionMetrics& dimension) {
      each_metric_part(
          *sums, dimension.times,
          [&](const MetricTimes& times, const MetricSummary& metric, const MetricPart& part) {
            if (!part.mean) return;
            rows.add({dimension.dimension, dimension.labels[times.key], metric.name}, metric.unit,
                     {run, times.device, *part.mean});
          });
    });
  }
  rows.write(source, sink);
}

void add_metric_phase_balance(const Source& source, RowSink& sink) {
  BalanceRows rows;
  for (size_t run = 0; run < source.runs.size(); ++run) {
    const auto* const sums = source.runs[run].find<analyze::GpuMetricSums>();
    if (!sums) continue;
    each_metric_part(
        *sums, sums->phase_times,
        [&](const MetricTimes& times, const MetricSummary& metric, const MetricPart& part) {
          if (!part.mean) return;
          rows.add({sums->phases[times.key], metric.name}, metric.unit,
                   {run, times.device, *part.mean});
        });
  }
  rows.write(source, sink);
}

std::string without_several_metric_devices(const Source& source) {
  if (std::string why = without_gpu_metrics(source); !why.empty()) return why;
  if (std::string why = not_ranks(source); !why.empty()) return why;
  size_t devices = 0;
  for (const Run& run : source.runs) {
    if (run.find<analyze::GpuMetricSums>() == nullptr) continue;
    std::set<int32_t> own;
    for (const MetricSummary& metric : run.get<analyze::GpuMetricSums>().metrics) {
      if (is_used(run, metric)) own.insert(*metric.device);
    }
    devices += own.size();
  }
  return devices < 2 ? "fewer than two devices have GPU metrics" : "";
}

std::vector<Column> balance_columns(std::vector<Column> keys, std::string_view of) {
  return columns_of(
      {std::move(keys),
       {{"metric", Unit::text, Role::key, "The metric, as the profiler names it."},
        {"unit", Unit::text, Role::detail,
         "Which of the columns of values it has: `ratio`, which is of the peak of the device, "
         "`hz`, `bytes_per_s`, `watts`, `number`."},
        {"devices", Unit::count, Role::measure, "Devices of all ranks that have a value."}},
       metric_value_columns("min", fmt::format("The smallest mean of a device{}", of),
                            Role::measure),
       metric_value_columns("mean", fmt::format("The mean of these means{}", of), Role::measure),
       metric_value_columns("max", fmt::format("The largest mean of a device{}", of),
                            Role::measure),
       {{"min_rank", Unit::id, Role::measure, "The rank with the smallest; the first of several."},
        {"min_device", Unit::id, Role::detail, "Its device."},
        {"max_rank", Unit::id, Role::measure, "The rank with the largest; the first of several."},
        {"max_device", Unit::id, Role::detail, "Its device."}}});
}

std::string without_metric_phase_balance(const Source& source) {
  if (std::string why = without_several_metric_devices(source); !why.empty()) return why;
  return without_metric_steps(source);
}

}  // namespace

const Definition gpu_metric_balance_table{
    {.id = "gpu_metric_balance",
     .title = "sampled GPU metrics over ranks",
     .doc = "One row per metric that several devices of the ranks of a job have: its mean over the "
            "trace on each device, compared.",
     .columns = balance_columns({}, "")},
    needs<analyze::GpuMetricSums>,
    add_metric_balance,
    without_several_metric_devices};

const Definition gpu_metric_label_balance_table{
    {.id = "gpu_metric_label_balance",
     .title = "sampled GPU metrics over ranks by label",
     .doc = "One row per label and metric: its mean in the label's own time on each device of the "
            "ranks of a job, compared. Devices with fewer than two samples have none.",
     .columns = balance_columns({{"dimension", Unit::text, Role::key, "The dimension."},
                                 {"label", Unit::text, Role::key, "The label."}},
                                " in the label's own time"),
     .in_short_form = false},
    needs<analyze::GpuMetricSums>,
    add_metric_label_balance,
    without_several_metric_devices};

const Definition gpu_metric_phase_balance_table{
    {.id = "gpu_metric_phase_balance",
     .title = "sampled GPU metrics over ranks by phase",
     .doc = "One row per phase and metric: its mean in the time of the operations that the steps "
            "of the phase launched, on each device of the ranks of a job, compared. Devices with "
            "fewer than two samples have none.",
     .columns = balance_columns({{"phase", Unit::text, Role::key, "The phase, as in `phases`."}},
                                " in the phase")},
    needs<analyze::GpuMetricSums>,
    add_metric_phase_balance,
    without_metric_phase_balance};

}  // namespace kr::tables
