// What calls launched, and the queues of streams.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "facts/fact.hpp"
#include "trace/trace.hpp"

namespace kr::analyze {

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
  static constexpr facts::Reads reads = facts::Reads::host;
  /// Absent: the format has no launches.
  static facts::Computed<LaunchStatistics> compute(const facts::Input& run);
  void saved(facts::Fields& io, const RunSummary& run);

  int64_t linked = 0;               // operations with a launch
  int64_t orphans = 0;              // operations without
  std::vector<LaunchCalls> by_api;  // by descending total
  std::vector<StreamQueue> queues;  // by device and stream; those with launched operations
};

/// The trace must have a host trace.
LaunchStatistics count_launches(const trace::Trace& trace);

}  // namespace kr::analyze
