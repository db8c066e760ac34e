// GPU metrics by label, phase, step and kernel name.
//
// A profiler samples a whole GPU at a constant period. A sample belongs to a label if its time lies
// in the label's own time on that device: in [start, end) of at least one of its operations there.
// Each sample represents the same time, so the plain mean of a label's samples is the mean weighted
// by time.
//
// Profilers of AMD have stretches of time in place of samples, of GPUs whose operations are not
// known: they have a mean over the run alone, weighted by their time.
//
// What a sample cannot show:
// - Of fewer than two samples there is no mean: the label is unsampled.
// - shared: another operation, not of the label, ran on the device at the time of the sample. The
//   value is that of all of them together.
// - mixed: such an operation ran within the period that begins with the sample. nsys shows a value
//   from its time on until the next sample, so the value is a mean over this period. The samples of
//   kernels much shorter than the period are mixed. Shared samples are mixed, too.
//
// PyTorch's counters are of the time from a sample to the next one, whose distance may vary
// (GpuMetric::ends). Their mean is over the time in which operations of the label ran and no
// others: a value of the whole device says nothing of one of two concurrent kernels.
//
// Memory: 72 bytes per metric of a label, phase, step or name that has a sample; one pass over the
// samples and the operations of each device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/warning.hpp"
#include "classify/attribution.hpp"
#include "classify/classify.hpp"
#include "facts/fact.hpp"
#include "trace/trace.hpp"

namespace kr::analyze {

/// Clocks are measured, and differ by a part of a thousand where they are the same: a value is
/// below the highest if it is below this part of it. Clocks change in steps of 15 MHz, which is
/// more.
inline constexpr double same_clock = 0.995;

/// A metric of a GPU, over the whole trace. Values are in `unit`.
struct MetricSummary {
  int32_t gpu = 0;
  std::optional<int32_t> device;
  std::string name;
  trace::MetricUnit unit = trace::MetricUnit::number;
  int64_t samples = 0;
  int64_t period_ns = 0;
  double mean = 0;
  double min = 0;
  double max = 0;
};

/// The samples of one metric in the own time of something.
struct MetricPart {
  int64_t samples = 0;
  int64_t shared_samples = 0;
  int64_t mixed_samples = 0;
  int64_t below_samples = 0;  // of clocks and power: below the highest of the whole trace
  /// In the metric's unit; nullopt: fewer than two samples, or no time of which values are.
  std::optional<double> mean;
};

/// What the operations of one label, phase, step or name did on one device.
struct MetricTimes {
  size_t key = 0;      // the place of the label, phase, step or name
  int32_t device = 0;  // which has metrics
  int64_t own_ns = 0;  // the union of its operations on the device
  /// By metric of the device, in the order of GpuMetricSums::metrics. Empty: no sample.
  std::vector<MetricPart> parts;

  /// Of the metric at a place among those of the device.
  MetricPart part(size_t place) const { return parts.empty() ? MetricPart{} : parts[place]; }
};

struct DimensionMetrics {
  std::string dimension;
  std::vector<std::string> labels;
  std::vector<MetricTimes> times;  // by device, then by descending own_ns, label
};

struct MetricName {
  std::string name;
  OperationKind kind = OperationKind::kernel;
};

/// Samples of one metric of each device, of the metric with most of them.
struct SampleCounts {
  int64_t samples = 0;
  int64_t busy = 0;         // while an operation ran
  int64_t overlapping = 0;  // of these, while several did
  int64_t mixed = 0;        // of the busy ones, those within whose period several did
  int64_t period_ns = 0;    // the longest of the devices
};

struct GpuMetricSums {
  static constexpr facts::Reads reads = facts::Reads::host | facts::Reads::gpu_metrics;
  /// Absent: the format has none.
  static facts::Computed<GpuMetricSums> compute(const facts::Input& run);
  std::optional<Warning> note(const facts::Input& run) const;

  std::vector<MetricSummary> metrics;  // by gpu, then name
  SampleCounts counts;
  std::vector<DimensionMetrics> dimensions;
  std::vector<std::string> phases;       // in order of first occurrence; `(outside steps)` last
  std::vector<MetricTimes> phase_times;  // by device and phase
  std::vector<MetricTimes> step_times;   // by device and step; the key is that of the step
  std::vector<MetricName> names;         // as the trace numbers them
  std::vector<MetricTimes> name_times;   // by device, then by descending own_ns, name

  /// The metrics of a device, by place.
  std::vector<size_t> metrics_of(int32_t device) const;
};

/// The trace has GPU metrics. Deterministic.
GpuMetricSums sum_gpu_metrics(const sema::Program& program, const trace::Trace& trace,
                              const classify::Labelled& labelled,
                              const classify::Attribution& attribution);

/// How many samples are of several operations, if any are.
std::optional<Warning> mixed_samples(const GpuMetricSums& sums);

}  // namespace kr::analyze
