// Sampled metrics of GPUs: of the whole trace, and by label, phase, step and kernel name.
#include "tables/gpu_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analyze/gpu_metrics.hpp"
#include "analyze/steps.hpp"
#include "ncu/gpus.hpp"
#include "tables/columns.hpp"
#include "tables/scoped.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using analyze::GpuMetricSums;
using analyze::MetricPart;
using analyze::MetricSummary;
using analyze::MetricTimes;
using trace::MetricUnit;

struct MetricRow : Parts<Run, MetricSummary> {
  MetricUnit unit() const { return of<MetricSummary>().unit; }
};

template <double MetricSummary::*value>
std::optional<double> sampled(const MetricRow& row) {
  const MetricSummary& metric = row;
  return metric.samples > 0 ? std::optional(metric.*value) : std::nullopt;
}

void add_all_metrics(const Source& source, Rows<MetricRow>& rows) {
  each_metric_run(source, [&](const Run& run, const GpuMetricSums& sums) {
    for (const MetricSummary& metric : sums.metrics) rows.add({{run, metric}});
  });
}

/// A metric in a part of the time of a device.
struct MetricPartRow : Parts<Run, MetricTimes, MetricSummary, MetricPart> {
  MetricUnit unit() const { return of<MetricSummary>().unit; }
};

template <class Row>
Columns<Row> part_columns(std::string_view operations) {
  const auto doc = [&](std::string_view text) {
    return fmt::format(fmt::runtime(text), fmt::arg("operations", operations));
  };
  return {
      {metric_name, &MetricSummary::name},
      {head::unit, &MetricSummary::unit},
      {"sampled", Unit::boolean, Role::measure,
       "Whether there are at least two samples, and of PyTorch's counters time in which nothing "
       "else "
       "ran on the device; without them the value is empty.",
       [](const MetricPart& part) { return part.mean.has_value(); }},
      {"samples", Unit::count, Role::measure,
       doc("Samples while at least one of {operations} ran on the device."), &MetricPart::samples},
      {"shared_samples", Unit::count, Role::measure,
       "Of these, those at whose time another operation ran on the device, too: the value is "
       "that of all of them.",
       &MetricPart::shared_samples},
      {"mixed_samples", Unit::count, Role::detail,
       "Of these, those within whose period another operation ran on the device, at the same "
       "time or after: the value is a mean over the period. `shared_samples` are among them.",
       &MetricPart::mixed_samples},
      {"own_ns", Unit::ns, Role::measure,
       doc("The time in which at least one of {operations} ran on the device."),
       &MetricTimes::own_ns},
      metric_value_columns<Row>("mean", "The mean of the samples", Role::measure,
                                [](const Row& row) { return row.template of<MetricPart>().mean; })};
}

struct MetricLabelRow : MetricPartRow {
  std::string_view dimension;
  std::string_view label;
};

void add_metric_labels(const Source& source, Rows<MetricLabelRow>& rows) {
  each_metric_run(source, [&](const Run& run, const GpuMetricSums& sums) {
    each_metric_dimension(source, sums, [&](const analyze::DimensionMetrics& dimension) {
      each_metric_part(
          sums, dimension.times, [&](const auto& times, const auto& metric, const auto& part) {
            rows.add(
                {{{run, times, metric, part}}, dimension.dimension, dimension.labels[times.key]});
          });
    });
  });
}

struct MetricPhaseRow : MetricPartRow {
  std::string_view phase;
};

void add_metric_phases(const Source& source, Rows<MetricPhaseRow>& rows) {
  each_metric_run(source, [&](const Run& run, const GpuMetricSums& sums) {
    each_metric_part(sums, sums.phase_times,
                     [&](const auto& times, const auto& metric, const auto& part) {
                       rows.add({{{run, times, metric, part}}, sums.phases[times.key]});
                     });
  });
}

struct MetricStepRow : MetricPartRow {
  const analyze::StepPart& step;
};

void add_metric_steps(const Source& source, Rows<MetricStepRow>& rows) {
  each_metric_run(source, [&](const Run& run, const GpuMetricSums& sums) {
    const analyze::StepParts& steps = run.get<analyze::StepSums>().steps;
    each_metric_part(sums, sums.step_times,
                     [&](const auto& times, const auto& metric, const auto& part) {
                       const analyze::StepPart step = steps[times.key];
                       rows.add({{{run, times, metric, part}}, step});
                     });
  });
}

struct MetricKernelRow : MetricPartRow {
  const analyze::MetricName& name;
};

void add_metric_kernels(const Source& source, Rows<MetricKernelRow>& rows) {
  each_metric_run(source, [&](const Run& run, const GpuMetricSums& sums) {
    each_metric_part(sums, sums.name_times,
                     [&](const auto& times, const auto& metric, const auto& part) {
                       rows.add({{{run, times, metric, part}}, sums.names[times.key]});
                     });
  });
}

}  // namespace

std::string without_gpu_metrics(const Source& source) {
  const bool any = std::any_of(source.runs.begin(), source.runs.end(), [](const Run& run) {
    return run.find<analyze::GpuMetricSums>() != nullptr &&
           !run.get<analyze::GpuMetricSums>().metrics.empty();
  });
  return any ? std::string()
             : "no run has GPU metrics; `nsys profile --gpu-metrics-devices=cuda-visible` samples "
               "them";
}

std::string without_metric_steps(const Source& source) {
  if (std::string why = without_gpu_metrics(source); !why.empty()) return why;
  const bool any = std::any_of(source.runs.begin(), source.runs.end(), [](const Run& run) {
    return run.find<analyze::GpuMetricSums>() != nullptr &&
           !run.get<analyze::GpuMetricSums>().phases.empty();
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

const Definition gpu_metrics_part = TableOf<MetricRow>{
    {.id = "gpu_metrics",
     .title = "sampled GPU metrics",
     .doc = "One row per run, GPU and metric that the profiler sampled, over the whole trace: also "
            "of the time in which nothing ran.",
     .columns =
         {run_column,
          {"gpu", Unit::id, Role::key, "The GPU, as the profiler numbers them.",
           &MetricSummary::gpu},
          {"device", Unit::id, Role::measure,
           "CUDA's number of the device, as in `devices`; empty: it is not known, or CUDA did not "
           "use the GPU.",
           &MetricSummary::device, optional},
          {metric_name, &MetricSummary::name},
          {head::unit, &MetricSummary::unit},
          {"samples", Unit::count, Role::measure, "Samples.", &MetricSummary::samples},
          {"period_ns", Unit::ns, Role::measure, "The median time between two samples.",
           [](const MetricSummary& metric) {
             return metric.period_ns > 0 ? Cell(metric.period_ns) : Cell();
           },
           optional},
          metric_value_columns<MetricRow>("mean", "The mean of the samples", Role::measure,
                                          sampled<&MetricSummary::mean>),
          metric_value_columns<MetricRow>("min", "The least sample", Role::detail,
                                          sampled<&MetricSummary::min>),
          metric_value_columns<MetricRow>("max", "The greatest sample", Role::detail,
                                          sampled<&MetricSummary::max>)}},
    needs<analyze::GpuMetricSums>,
    add_all_metrics,
    without_gpu_metrics};

const Definition gpu_metric_labels_part = TableOf<MetricLabelRow>{
    {.id = "gpu_metric_labels",
     .title = "sampled GPU metrics by label",
     .doc = "One row per run, device, dimension, label that has operations there, and metric: the "
            "samples in the label's own time.",
     .columns = {run_column,
                 {metric_device, &MetricTimes::device},
                 {head::dimension, &MetricLabelRow::dimension},
                 {head::label, &MetricLabelRow::label},
                 part_columns<MetricLabelRow>("its operations")},
     .in_short_form = false},
    needs<analyze::GpuMetricSums>,
    add_metric_labels,
    without_gpu_metrics};

const Definition gpu_metric_phases_part = TableOf<MetricPhaseRow>{
    {.id = "gpu_metric_phases",
     .title = "sampled GPU metrics by phase",
     .doc = "One row per run, device, phase that has operations there, and metric: the samples in "
            "the time of the operations that its steps launched.",
     .columns = {run_column,
                 {metric_device, &MetricTimes::device},
                 {head::phase_of_phases, &MetricPhaseRow::phase},
                 part_columns<MetricPhaseRow>("its operations")},
     .in_short_form = false},
    needs<analyze::GpuMetricSums>,
    add_metric_phases,
    without_metric_steps};

const Definition gpu_metric_steps_part = TableOf<MetricStepRow>{
    {.id = "gpu_metric_steps",
     .title = "sampled GPU metrics by step",
     .doc = "One row per run, device, step that has operations there, and metric: the samples in "
            "the time of the operations that it launched.",
     .columns = {run_column,
                 {metric_device, &MetricTimes::device},
                 {"step_id", Unit::id, Role::key, "The step, as in `steps`.", &MetricTimes::key},
                 {head::phase_of_step, [](const MetricStepRow& row) { return &row.step.phase; }},
                 {head::step, [](const MetricStepRow& row) { return &row.step.step; }},
                 {head::layer, [](const MetricStepRow& row) { return &row.step.layer; }},
                 part_columns<MetricStepRow>("its operations")},
     .in_short_form = false},
    needs<analyze::GpuMetricSums, analyze::StepSums>,
    add_metric_steps,
    without_metric_steps};

const Definition gpu_metric_kernels_part = TableOf<MetricKernelRow>{
    {.id = "gpu_metric_kernels",
     .title = "sampled GPU metrics by kernel",
     .doc = "One row per run, device, distinct name and type of operation there, and metric: the "
            "samples in their time.",
     .columns = {run_column,
                 {metric_device, &MetricTimes::device},
                 {head::name, [](const MetricKernelRow& row) { return &row.name.name; }},
                 {head::type, [](const MetricKernelRow& row) { return &row.name.kind; }},
                 part_columns<MetricKernelRow>("them")},
     .in_short_form = false},
    needs<analyze::GpuMetricSums>,
    add_metric_kernels,
    without_gpu_metrics};

const Definition gpu_metrics_table = scoped(
    "gpu_metrics", "sampled GPU metrics", "One row per run, device, metric, and what it is about.",
    {{.part = gpu_metrics_part, .name = "gpu", .key = "gpu"},
     {.part = gpu_metric_labels_part, .by = "dimension", .key = "label"},
     {.part = gpu_metric_phases_part, .name = "phase", .key = "phase"},
     {.part = gpu_metric_steps_part, .name = "step", .key = "step_id"},
     {.part = gpu_metric_kernels_part, .name = "kernel", .key = "name"}});

}  // namespace kr::tables
