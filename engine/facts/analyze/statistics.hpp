// Statistics of one run: by kernel, type of activity, launching call, phase, step and layer. Times
// are int64_t ns; means and deviations are floating point, computed from exact sums.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/gpu_metrics.hpp"
#include "analyze/host_use.hpp"
#include "analyze/idle.hpp"
#include "analyze/repeats.hpp"
#include "analyze/run.hpp"
#include "analyze/sequences.hpp"
#include "analyze/steps.hpp"
#include "analyze/waits.hpp"
#include "classify/attribution.hpp"

namespace kr::analyze {

struct KernelStatistics {
  std::string name;
  std::string kind;  // compute, communication, memory
  int32_t device = 0;
  int64_t instances = 0;
  int64_t total_ns = 0;
  int64_t min_ns = 0;
  int64_t max_ns = 0;
  double mean_ns = 0;
  double stddev_ns = 0;  // of the sample (n - 1); 0 for one
  double share = 0;      // of the run's total, 0 to 1
};

/// The longest floor(n · percent / 100) of n operations or calls.
struct Longest {
  int percent = 0;
  int64_t instances = 0;
  double share = 0;  // of the type's total
  double mean_ns = 0;
  int64_t total_ns = 0;
};

struct ActivityStatistics {
  std::string type;  // kernel, runtime, driver, memcpy, memset
  int64_t instances = 0;
  int64_t total_ns = 0;
  int64_t min_ns = 0;
  int64_t max_ns = 0;
  std::array<Longest, 3> longest;  // 1, 5 and 10 %
};

/// Calls of one function that launched operations.
struct LaunchCalls {
  std::string api;
  int64_t instances = 0;      // calls
  int64_t operations = 0;     // launched by them
  int64_t total_ns = 0;       // of the calls
  double delay_mean_ns = 0;   // from the start of a call to the start of each operation
  int64_t short_kernels = 0;  // kernels shorter than their call
  /// Kernels that ran when the next launching call of their thread began.
  int64_t running_at_next_launch = 0;
};

/// The queue of one stream: operations whose launching call has begun, and that have not begun
/// themselves.
struct StreamQueue {
  int32_t device = 0;
  int64_t stream = 0;
  int64_t launches = 0;    // calls that added operations
  int64_t operations = 0;  // added by them
  double mean = 0;         // of the length when these calls begin, including their operations
  int64_t max = 0;         // of the same length
  /// Over the time from the first call to the start of the last operation; 0 if that is empty.
  double time_weighted_mean = 0;
};

struct LaunchStatistics {
  int64_t linked = 0;               // operations with a launch
  int64_t orphans = 0;              // operations without
  std::vector<LaunchCalls> by_api;  // by descending total
  std::vector<DeviceIdle> idle;     // by device
  std::vector<StreamQueue> queues;  // by device and stream; those with launched operations
};

struct LayerPart {
  classify::RepeatedBlock block;
  int32_t device = 0;
  double per_layer_mean_ns = 0;
  std::string evidence;
};

struct RunStatistics {
  std::vector<KernelStatistics> kernels;  // by descending total, name, device
  std::vector<ActivityStatistics> activity;
  std::optional<LaunchStatistics> launches;  // nullopt: the format has no launches
  std::optional<HostUse> host;               // nullopt: the format has no calls
  std::optional<WaitStatistics> waits;       // with trace::HostTrace::waits
  classify::AttributionSums attribution;
  StepSums steps;
  std::vector<LayerPart> layers;
  std::vector<BlockRepeat> repeats;
  std::vector<Sequence> sequences;
  std::optional<GpuMetricSums> gpu_metrics;  // nullopt: not read, or the format has none
};

/// The trace must have a host trace.
LaunchStatistics count_launches(const trace::Trace& trace);

/// `summary` is that of the run: the parts of the idle time must add up to that of its devices.
RunStatistics analyze(const match::CompiledRules& rules, const LabelledTrace& run,
                      const RunSummary& summary);

/// How much longer the operations or calls of `b` take than those of `a`: the means of `b` divided
/// by the means of `a`; nullopt if one of them has no mean.
struct ActivityRatio {
  size_t run_a = 0;
  std::string type_a;
  size_t run_b = 0;
  std::string type_b;
  std::optional<double> all;
  std::array<std::optional<double>, 3> longest;  // of the longest 1, 5 and 10 %
};
/// First the types of each later run, divided by those of the first run. Then, for each run, every
/// type divided by the types before it.
std::vector<ActivityRatio> compare_activity(
    const std::vector<const std::vector<ActivityStatistics>*>& runs);

/// A name that some runs have and others do not.
struct NameOnlyIn {
  size_t run = 0;  // a run that has it
  std::string name;
  int64_t instances = 0;
  int64_t total_ns = 0;
};
/// Of two or more runs, by run and descending total. Empty for a single run.
std::vector<NameOnlyIn> names_only_in(const std::vector<const RunSummary*>& runs);

}  // namespace kr::analyze
