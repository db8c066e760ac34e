// Sampled metrics of GPUs: of the whole trace, and by label, phase, step and kernel name.
#include "tables/gpu_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analyze/gpu_metrics.hpp"
#include "analyze/steps.hpp"
#include "ncu/gpus.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using analyze::GpuMetricSums;
using analyze::MetricPart;
using analyze::MetricSummary;
using analyze::MetricTimes;
using trace::MetricUnit;

struct UnitColumn {
  MetricUnit unit;
  Unit column;
  std::string_view doc;
};
constexpr std::array<UnitColumn, trace::metric_unit_count> unit_columns{
    {{MetricUnit::ratio, Unit::ratio, "a part of the peak, or of the time, from 0 to 1"},
     {MetricUnit::hz, Unit::hz, "hertz"},
     {MetricUnit::bytes_per_s, Unit::per_second, "bytes per second"},
     {MetricUnit::watts, Unit::watts, "watts"},
     {MetricUnit::number, Unit::factor, "another unit, which the name of the metric has"}}};

void add_all_metrics(const Source& source, RowSink& sink) {
  Cells row;
  each_metric_run(source, [&](const Run& run, const GpuMetricSums& sums) {
    for (const MetricSummary& metric : sums.metrics) {
      const std::optional<int64_t> period =
          metric.period_ns > 0 ? std::optional(metric.period_ns) : std::nullopt;
      const std::optional<int64_t> device = metric.device;
      row.assign({run.summary.id, int64_t{metric.gpu}, table::cell(device), metric.name,
                  to_string(metric.unit), metric.samples, table::cell(period)});
      for (const double value : {metric.mean, metric.min, metric.max}) {
        add_metric_value(row, metric.unit,
                         metric.samples > 0 ? std::optional(value) : std::nullopt);
      }
      sink.row(row);
    }
  });
}

/// The cells that all tables of parts end with.
void add_part(Cells& row, const MetricTimes& times, const MetricSummary& metric,
              const MetricPart& part) {
  row.insert(row.end(), {metric.name, to_string(metric.unit), int64_t{part.mean ? 1 : 0},
                         part.samples, part.shared_samples, part.mixed_samples, times.own_ns});
  add_metric_value(row, metric.unit, part.mean);
}

std::vector<Column> part_columns(std::string_view operations) {
  const auto doc = [&](std::string_view text) {
    return fmt::format(fmt::runtime(text), fmt::arg("operations", operations));
  };
  return columns_of(
      {{{"metric", Unit::text, Role::key, "The metric, as the profiler names it."},
        {"unit", Unit::text, Role::detail,
         "Which of the columns of values it has: `ratio`, `hz`, `bytes_per_s`, `watts`, `number`."},
        {"sampled", Unit::boolean, Role::measure,
         "Whether there are at least two samples; without them the value is empty."},
        {"samples", Unit::count, Role::measure,
         doc("Samples while at least one of {operations} ran on the device.")},
        {"shared_samples", Unit::count, Role::measure,
         "Of these, those at whose time another operation ran on the device, too: the value is "
         "that "
         "of all of them."},
        {"mixed_samples", Unit::count, Role::detail,
         "Of these, those within whose period another operation ran on the device, at the same "
         "time "
         "or after: the value is a mean over the period. `shared_samples` are among them."},
        {"own_ns", Unit::ns, Role::measure,
         doc("The time in which at least one of {operations} ran on the device.")}},
       metric_value_columns("mean", "The mean of the samples", Role::measure)});
}

void add_metric_labels(const Source& source, RowSink& sink) {
  Cells row;
  each_metric_run(source, [&](const Run& run, const GpuMetricSums& sums) {
    each_metric_dimension(source, sums, [&](const analyze::DimensionMetrics& dimension) {
      each_metric_part(sums, dimension.times,
                       [&](const auto& times, const auto& metric, const auto& part) {
                         row.assign({run.summary.id, int64_t{times.device}, dimension.dimension,
                                     dimension.labels[times.key]});
                         add_part(row, times, metric, part);
                         sink.row(row);
                       });
    });
  });
}

void add_metric_phases(const Source& source, RowSink& sink) {
  Cells row;
  each_metric_run(source, [&](const Run& run, const GpuMetricSums& sums) {
    each_metric_part(sums, sums.phase_times,
                     [&](const auto& times, const auto& metric, const auto& part) {
                       row.assign({run.summary.id, int64_t{times.device}, sums.phases[times.key]});
                       add_part(row, times, metric, part);
                       sink.row(row);
                     });
  });
}

void add_metric_steps(const Source& source, RowSink& sink) {
  Cells row;
  each_metric_run(source, [&](const Run& run, const GpuMetricSums& sums) {
    const analyze::StepParts& steps = run.get<analyze::StepSums>().steps;
    each_metric_part(
        sums, sums.step_times, [&](const auto& times, const auto& metric, const auto& part) {
          const analyze::StepPart step = steps[times.key];
          row.assign({run.summary.id, int64_t{times.device}, static_cast<int64_t>(times.key),
                      step.phase, table::cell(step.step), table::cell(step.layer)});
          add_part(row, times, metric, part);
          sink.row(row);
        });
  });
}

void add_metric_kernels(const Source& source, RowSink& sink) {
  Cells row;
  each_metric_run(source, [&](const Run& run, const GpuMetricSums& sums) {
    each_metric_part(
        sums, sums.name_times, [&](const auto& times, const auto& metric, const auto& part) {
          const analyze::MetricName& name = sums.names[times.key];
          row.assign({run.summary.id, int64_t{times.device}, name.name, to_string(name.kind)});
          add_part(row, times, metric, part);
          sink.row(row);
        });
  });
}

const Column run_column{"run", Unit::text, Role::key, "The run."};
const Column device_column{"device", Unit::id, Role::key, "The device, as in `devices`."};

}  // namespace

std::vector<Column> metric_value_columns(std::string_view prefix, std::string_view what,
                                         Role role) {
  std::vector<Column> columns;
  columns.reserve(unit_columns.size());
  for (const UnitColumn& one : unit_columns) {
    columns.push_back({fmt::format("{}_{}", prefix, to_string(one.unit)), one.column, role,
                       fmt::format("{}, if its unit is {}.", what, one.doc), true});
  }
  return columns;
}

void add_metric_value(Cells& row, MetricUnit unit, const std::optional<double>& value) {
  for (const UnitColumn& one : unit_columns) {
    row.push_back(one.unit == unit ? table::cell(value) : Cell());
  }
}

std::vector<Column> columns_of(std::initializer_list<std::vector<Column>> parts) {
  std::vector<Column> all;
  for (const std::vector<Column>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::string without_gpu_metrics(const Source& source) {
  const bool any = std::any_of(source.runs.begin(), source.runs.end(), [](const Run& run) {
    return run.find<analyze::GpuMetricSums>() != nullptr && !run.get<analyze::GpuMetricSums>().metrics.empty();
  });
  return any ? std::string()
             : "no run has GPU metrics; `nsys profile --gpu-metrics-devices=cuda-visible` samples "
               "them";
}

std::string without_metric_steps(const Source& source) {
  if (std::string why = without_gpu_metrics(source); !why.empty()) return why;
  const bool any = std::any_of(source.runs.begin(), source.runs.end(), [](const Run& run) {
    return run.find<analyze::GpuMetricSums>() != nullptr && !run.get<analyze::GpuMetricSums>().phases.empty();
  });
  return any ? std::string() : "no annotation of a trace matches the `phases` of its model";
}

void each_metric_run(const Source& source, const EachMetricRun& each) {
  for (const Run& run : source.runs) {
    if (run.find<analyze::GpuMetricSums>() != nullptr) each(run, run.get<analyze::GpuMetricSums>());
  }
}

void each_metric_part(const GpuMetricSums& sums, const std::vector<MetricTimes>& times,
                      const EachMetricPart& each) {
  std::optional<int32_t> device;
  std::vector<size_t> metrics;  // of the device
  for (const MetricTimes& one : times) {
    if (device != one.device) metrics = sums.metrics_of(one.device);
    device = one.device;
    for (size_t place = 0; place < metrics.size(); ++place) {
      each(one, sums.metrics[metrics[place]], one.part(place));
    }
  }
}

void each_metric_dimension(const Source& source, const GpuMetricSums& sums,
                           const std::function<void(const analyze::DimensionMetrics&)>& each) {
  for (const std::string& name : dimensions_of(source)) {
    for (const analyze::DimensionMetrics& dimension : sums.dimensions) {
      if (dimension.dimension == name) each(dimension);
    }
  }
}

const Definition gpu_metrics_table{
    {.id = "gpu_metrics",
     .title = "sampled GPU metrics",
     .doc = "One row per run, GPU and metric that the profiler sampled, over the whole trace: also "
            "of the time in which nothing ran.",
     .columns = columns_of(
         {{run_column,
           {"gpu", Unit::id, Role::key, "The GPU, as the profiler numbers them."},
           {"device", Unit::id, Role::measure,
            "CUDA's number of the device, as in `devices`; empty: it is not known, or CUDA did not "
            "use the GPU.",
            true},
           {"metric", Unit::text, Role::key, "The metric, as the profiler names it."},
           {"unit", Unit::text, Role::detail,
            "Which of the columns of values it has: `ratio`, `hz`, `bytes_per_s`, `watts`, "
            "`number`."},
           {"samples", Unit::count, Role::measure, "Samples."},
           {"period_ns", Unit::ns, Role::measure, "The median time between two samples.", true}},
          metric_value_columns("mean", "The mean of the samples", Role::measure),
          metric_value_columns("min", "The least sample", Role::detail),
          metric_value_columns("max", "The greatest sample", Role::detail)})},
    needs<analyze::GpuMetricSums>,
    add_all_metrics,
    without_gpu_metrics};

const Definition gpu_metric_labels_table{
    {.id = "gpu_metric_labels",
     .title = "sampled GPU metrics by label",
     .doc = "One row per run, device, dimension, label that has operations there, and metric: the "
            "samples in the label's own time.",
     .columns =
         columns_of({{run_column,
                      device_column,
                      {"dimension", Unit::text, Role::key, "The dimension, such as `substage`."},
                      {"label", Unit::text, Role::key, "The label."}},
                     part_columns("its operations")}),
     .in_short_form = false},
    needs<analyze::GpuMetricSums>,
    add_metric_labels,
    without_gpu_metrics};

const Definition gpu_metric_phases_table{
    {.id = "gpu_metric_phases",
     .title = "sampled GPU metrics by phase",
     .doc = "One row per run, device, phase that has operations there, and metric: the samples in "
            "the time of the operations that its steps launched.",
     .columns = columns_of({{run_column,
                             device_column,
                             {"phase", Unit::text, Role::key, "The phase, as in `phases`."}},
                            part_columns("its operations")}),
     .in_short_form = false},
    needs<analyze::GpuMetricSums>,
    add_metric_phases,
    without_metric_steps};

const Definition gpu_metric_steps_table{
    {.id = "gpu_metric_steps",
     .title = "sampled GPU metrics by step",
     .doc = "One row per run, device, step that has operations there, and metric: the samples in "
            "the time of the operations that it launched.",
     .columns = columns_of({{run_column,
                             device_column,
                             {"step_id", Unit::id, Role::key, "The step, as in `steps`."},
                             {"phase", Unit::text, Role::measure, "The phase of the step."},
                             {"step", Unit::id, Role::measure,
                              "The number of the step, if the annotation has one.", true},
                             {"layer", Unit::id, Role::measure,
                              "The number of the layer, if the annotation has one.", true}},
                            part_columns("its operations")}),
     .in_short_form = false},
    needs<analyze::GpuMetricSums, analyze::StepSums>,
    add_metric_steps,
    without_metric_steps};

const Definition gpu_metric_kernels_table{
    {.id = "gpu_metric_kernels",
     .title = "sampled GPU metrics by kernel",
     .doc = "One row per run, device, distinct name and type of operation there, and metric: the "
            "samples in their time.",
     .columns =
         columns_of({{run_column,
                      device_column,
                      {"name", Unit::name, Role::key, "The name of the kernel, copy or set."},
                      {"type", Unit::text, Role::key, "`kernel`, `memcpy` or `memset`."}},
                     part_columns("them")}),
     .in_short_form = false},
    needs<analyze::GpuMetricSums>,
    add_metric_kernels,
    without_gpu_metrics};

}  // namespace kr::tables
