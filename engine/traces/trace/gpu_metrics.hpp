// Counters that a profiler sampled of whole GPUs: SM and tensor activity, DRAM, NVLink and PCIe
// traffic, clocks, power.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/growing_array.hpp"

namespace kr::trace {

/// What the values of a metric are, once they are converted.
enum class MetricUnit : uint8_t {
  ratio,  // from 0 to 1; profilers have percent
  hz,
  bytes_per_s,
  watts,
  number,  // anything else: what the name says, `[Avg Warps per Cycle]`
};
inline constexpr size_t metric_unit_count = 5;
/// `ratio`, `hz`, `bytes_per_s`, `watts`, `number`.
std::string_view to_string(MetricUnit unit) noexcept;

/// The value is as the profiler wrote it: sums of whole numbers are exact. GpuMetric::in_unit
/// converts it.
struct MetricSample {
  int64_t time_ns;
  double value;
};
static_assert(sizeof(MetricSample) == 16);

/// One metric of one GPU.
struct GpuMetric {
  int32_t gpu = 0;                // as the profiler numbers GPUs
  std::optional<int32_t> device;  // as in Track; nullopt: not known, or the GPU has no operations
  std::string name;               // as the profiler has it: `SMs Active [Throughput %]`
  MetricUnit unit = MetricUnit::number;
  /// The median distance of two samples; 0: fewer than two, or nothing was sampled, but there are
  /// the stretches of time in which a value did not change.
  int64_t period_ns = 0;
  GrowingArray<MetricSample> samples;  // by time, one per time
  /// By sample, if its value is of a time: the end of that. Means weight values by these times.
  /// Empty: each sample counts the same.
  GrowingArray<int64_t> ends = {};
  /// Of a file with several processes, as Track::member. Empty in a finished trace.
  std::string member = {};

  double in_unit(double value) const noexcept { return value * times / over; }

  // What converts a value.
  double times = 1;
  double over = 1;
};

struct GpuMetrics {
  std::vector<GpuMetric> metrics;  // by gpu, then name
};

struct MetricCleaning {
  size_t duplicates = 0;        // samples with the time of an earlier one: left out
  size_t duplicate_number = 0;  // the place of the first of them among the samples as read
  size_t over_full = 0;         // percentages over 100: cut to 100
};

/// Orders the samples, which may come in any order, finds the period, and the unit by the name and
/// the values:
///
/// - `[… %]` is percent, and so are names without a bracket that end in `Active`, `Issue`,
///   `Throughput` or `Bandwidth` and have no value over 100 (exports of 2021);
/// - `[MHz]` and names that end in `Clock Frequency` are clocks. Exports from 2022 on have Hz
/// there,
///   whatever the name says: if a value is over 100,000 all are taken as Hz;
/// - `[MB/s]` and the like, with powers of 1000 (of 1024 for `MiB/s`); `[W]`, `[mW]`. The same with
///   parentheses, `(W)`;
/// - names of CUPTI: `.pct_of_peak…` is percent, `.per_second` of bytes or elapsed cycles a rate.
///
/// The values are finite and not negative. With `ends`, the samples are in order, one per time, and
/// there is no period.
MetricCleaning finish_metric(GpuMetric& metric);

/// Of a finished metric whose values are of the time until the next sample, or until the first of
/// `stops`, which come in any order. The last value, without a stop after it, is of no time.
void set_ends(GpuMetric& metric, std::vector<int64_t> stops);

}  // namespace kr::trace
