// Sampled metrics of GPUs, compared over the devices of all ranks.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analyze/gpu_metrics.hpp"
#include "tables/gpu_metrics.hpp"
#include "tables/scoped.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using analyze::MetricPart;
using analyze::MetricSummary;
using analyze::MetricTimes;
using trace::MetricUnit;

struct DeviceValue {
  size_t run;
  int32_t device;
  double value;
};

/// A metric on the devices of all ranks. Keys are texts, in the order of their columns.
struct MetricBalanceRow {
  MetricUnit unit() const { return metric_unit; }

  const std::vector<std::string>& key;
  MetricUnit metric_unit;
  const std::vector<DeviceValue>& values;
  const DeviceValue& least;
  const DeviceValue& most;
  double mean;
  int64_t min_rank;
  int64_t max_rank;
};

/// In the order first met.
class BalanceRows {
 public:
  void add(std::vector<std::string> key, MetricUnit unit, const DeviceValue& value) {
    const auto [at, added] = places_.try_emplace(std::move(key), rows_.size());
    if (added) rows_.push_back({&at->first, unit, {}});
    rows_[at->second].values.push_back(value);
  }
  void write(const Source& source, Rows<MetricBalanceRow>& rows) const {
    const auto less = [](const DeviceValue& a, const DeviceValue& b) { return a.value < b.value; };
    for (const Values& one : rows_) {
      const DeviceValue& least = *std::min_element(one.values.begin(), one.values.end(), less);
      const DeviceValue& most = *std::max_element(one.values.begin(), one.values.end(), less);
      double sum = 0;
      for (const DeviceValue& value : one.values) sum += value.value;
      rows.add({*one.key, one.unit, one.values, least, most,
                sum / static_cast<double>(one.values.size()), source.rank(least.run),
                source.rank(most.run)});
    }
  }

 private:
  struct Values {
    const std::vector<std::string>* key;
    MetricUnit unit;
    std::vector<DeviceValue> values;
  };
  std::map<std::vector<std::string>, size_t> places_;
  std::vector<Values> rows_;
};

/// The profiler samples GPUs that the run does not use, too.
bool is_used(const Run& run, const MetricSummary& metric) {
  const std::vector<analyze::DeviceSum>& all = run.summary.devices;
  return metric.samples > 0 && std::any_of(all.begin(), all.end(), [&](const auto& one) {
           return metric.device == one.device;
         });
}

void add_metric_balance(const Source& source, Rows<MetricBalanceRow>& to) {
  BalanceRows rows;
  for (size_t run = 0; run < source.runs.size(); ++run) {
    const auto* const sums = source.runs[run].find<analyze::GpuMetricSums>();
    if (!sums) continue;
    for (const MetricSummary& metric : sums->metrics) {
      if (!is_used(source.runs[run], metric)) continue;
      rows.add({metric.name}, metric.unit, {run, *metric.device, metric.mean});
    }
  }
  rows.write(source, to);
}

void add_metric_label_balance(const Source& source, Rows<MetricBalanceRow>& to) {
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
  rows.write(source, to);
}

void add_metric_phase_balance(const Source& source, Rows<MetricBalanceRow>& to) {
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
  rows.write(source, to);
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

template <size_t place>
std::string_view key(const MetricBalanceRow& row) {
  return row.key[place];
}

/// `keys`: their number.
template <size_t keys>
Columns<MetricBalanceRow> balance_columns(Columns<MetricBalanceRow> columns, std::string_view of) {
  using Row = MetricBalanceRow;
  columns.add(Columns<Row>{
      {metric_name, key<keys>},
      {"unit", Unit::text, Role::detail,
       "Which of the columns of values it has: `ratio`, which is of the peak of the device, "
       "`hz`, `bytes_per_s`, `watts`, `number`.",
       &Row::metric_unit},
      {"devices", Unit::count, Role::measure, "Devices of all ranks that have a value.",
       [](const Row& row) { return row.values.size(); }},
      metric_value_columns<Row>("min", fmt::format("The smallest mean of a device{}", of),
                                Role::measure,
                                [](const Row& row) { return std::optional(row.least.value); }),
      metric_value_columns<Row>("mean", fmt::format("The mean of these means{}", of), Role::measure,
                                [](const Row& row) { return std::optional(row.mean); }),
      metric_value_columns<Row>("max", fmt::format("The largest mean of a device{}", of),
                                Role::measure,
                                [](const Row& row) { return std::optional(row.most.value); }),
      {"min_rank", Unit::id, Role::measure, "The rank with the smallest; the first of several.",
       &Row::min_rank},
      {"min_device", Unit::id, Role::detail, "Its device.",
       [](const Row& row) { return row.least.device; }},
      {"max_rank", Unit::id, Role::measure, "The rank with the largest; the first of several.",
       &Row::max_rank},
      {"max_device", Unit::id, Role::detail, "Its device.",
       [](const Row& row) { return row.most.device; }}});
  return columns;
}

std::string without_metric_phase_balance(const Source& source) {
  if (std::string why = without_several_metric_devices(source); !why.empty()) return why;
  return without_metric_steps(source);
}

}  // namespace

const Definition gpu_metric_balance_part = TableOf<MetricBalanceRow>{
    {.id = "gpu_metric_balance",
     .title = "sampled GPU metrics over ranks",
     .doc = "One row per metric that several devices of the ranks of a job have: its mean over the "
            "trace on each device, compared.",
     .columns = balance_columns<0>({}, "")},
    needs<analyze::GpuMetricSums>,
    add_metric_balance,
    without_several_metric_devices};

const Definition gpu_metric_label_balance_part = TableOf<MetricBalanceRow>{
    {.id = "gpu_metric_label_balance",
     .title = "sampled GPU metrics over ranks by label",
     .doc = "One row per label and metric: its mean in the label's own time on each device of the "
            "ranks of a job, compared. Devices with fewer than two samples have none.",
     .columns = balance_columns<2>({{head::the_dimension, key<0>}, {head::label, key<1>}},
                                   " in the label's own time"),
     .in_short_form = false},
    needs<analyze::GpuMetricSums>,
    add_metric_label_balance,
    without_several_metric_devices};

const Definition gpu_metric_phase_balance_part = TableOf<MetricBalanceRow>{
    {.id = "gpu_metric_phase_balance",
     .title = "sampled GPU metrics over ranks by phase",
     .doc = "One row per phase and metric: its mean in the time of the operations that the steps "
            "of the phase launched, on each device of the ranks of a job, compared. Devices with "
            "fewer than two samples have none.",
     .columns = balance_columns<1>({{head::phase_of_phases, key<0>}}, " in the phase")},
    needs<analyze::GpuMetricSums>,
    add_metric_phase_balance,
    without_metric_phase_balance};

const Definition gpu_metric_balance_table =
    scoped("gpu_metric_balance", "sampled GPU metrics over ranks",
           "One row per metric that several devices of the ranks of a job have, and what it is "
           "about: its means, compared.",
           {{.part = gpu_metric_balance_part, .name = "run"},
            {.part = gpu_metric_label_balance_part, .by = "dimension", .key = "label"},
            {.part = gpu_metric_phase_balance_part, .name = "phase", .key = "phase"}});

}  // namespace kr::tables
