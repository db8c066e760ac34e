// Statistics of one run beyond its sums: by kernel, by type of activity, by launching call, by
// phase, step and layer. All times int64_t ns; means and deviations are floating point, of exact
// sums.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/run.hpp"
#include "analyze/steps.hpp"
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

/// The first floor(n · percent / 100) of all by duration, the longest first.
struct Longest {
  int percent = 0;
  int64_t instances = 0;
  double share = 0;  // of the type's total
  double mean_ns = 0;
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
  int64_t operations = 0;     // that they launched
  int64_t total_ns = 0;       // of the calls
  double delay_mean_ns = 0;   // from a call's start to each operation's
  int64_t short_kernels = 0;  // kernels that took less than their call
  /// Kernels that were running when the next launching call of their thread began.
  int64_t running_at_next_launch = 0;
};

/// Operations that had been asked for and had not begun, of one stream: at a time, those whose call
/// had begun by then.
struct StreamQueue {
  int32_t device = 0;
  int64_t stream = 0;
  int64_t launches = 0;    // calls that put operations there
  int64_t operations = 0;  // that they put there
  double mean = 0;         // over these calls, when they begin, with what they launch
  int64_t max = 0;         // of the same
  /// Over the time from the first call to the start of the last operation; 0 where there is none.
  double time_weighted_mean = 0;
};

struct LaunchStatistics {
  int64_t linked = 0;               // operations with a launch
  int64_t orphans = 0;              // operations without
  std::vector<LaunchCalls> by_api;  // total falling
  /// Idle time of all devices: the part before a device's next operation in which that operation
  /// was not yet asked for (its launch had not begun), and the rest. They add up to the idle time.
  int64_t host_bound_ns = 0;
  int64_t other_ns = 0;
  std::vector<StreamQueue> queues;  // by device and stream; those that something was launched to
};

/// Kernels of one name that communicate.
struct CommunicationTimes {
  std::string name;
  std::vector<int64_t> durations_ns;  // in order of start
};

struct LayerPart {
  classify::RepeatedBlock block;
  int32_t device = 0;
  double per_layer_mean_ns = 0;
  std::string evidence;
};

struct RunStatistics {
  std::vector<KernelStatistics> kernels;  // total falling, then by name and device
  std::vector<ActivityStatistics> activity;
  std::vector<CommunicationTimes> communication;  // by name
  std::optional<LaunchStatistics> launches;       // none: the format does not tell of launches
  classify::AttributionSums attribution;
  StepSums steps;
  std::vector<LayerPart> layers;
};

/// `idle_ns` of all devices together, as summed by `summarize`, is what the parts of idle time are
/// checked against.
RunStatistics analyze(const match::CompiledRules& rules, const LabelledTrace& run, int64_t idle_ns);

/// How much longer the operations and calls of `b` take than those of `a`: means of `b` by means of
/// `a`. None where one of them has none.
struct ActivityRatio {
  size_t run_a = 0;
  std::string type_a;
  size_t run_b = 0;
  std::string type_b;
  std::optional<double> all;
  std::array<std::optional<double>, 3> longest;  // of the longest 1, 5 and 10 %
};
/// Of several runs: each type of a later run by the same type of the first. Then of each run: every
/// type by those that stand before it.
std::vector<ActivityRatio> compare_activity(
    const std::vector<const std::vector<ActivityStatistics>*>& runs);

/// A name that some runs have and others lack.
struct NameOnlyIn {
  size_t run = 0;  // one that has it
  std::string name;
  int64_t instances = 0;
  int64_t total_ns = 0;
};
/// Of two and more runs, by run and total falling. Empty for one.
std::vector<NameOnlyIn> names_only_in(const std::vector<const RunSummary*>& runs);

}  // namespace kr::analyze
