// How long threads of the host waited, and whether a device worked meanwhile.
//
// A synchronising call is one that the profiler recorded a synchronisation of; of formats without
// such records, one whose name says so (trace/call_kinds.hpp). A recorded synchronisation without a
// call in the trace counts with its own times. A call inside another one counts as well as that.
//
// Busy is the time in which at least one device worked that the process launched operations to; of
// a process that launched none, one of all devices. This is so for 64 different groups of devices;
// for more, which no job has, it is one of all devices.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "facts/fact.hpp"
#include "trace/trace.hpp"

namespace kr::analyze {

/// Calls of one function.
struct WaitSum {
  std::string api;         // empty: the call is not in the trace
  std::string waited_for;  // `stream_synchronize`; empty for calls of the operating system
  int64_t calls = 0;
  int64_t total_ns = 0;
  int64_t max_ns = 0;
  int64_t busy_ns = 0;  // of the total; a device was busy
};

/// Each by falling total, function and what it waited for.
struct WaitStatistics {
  static constexpr facts::Reads reads = facts::Reads::host | facts::Reads::waits;
  /// Absent: the format does not have them.
  static facts::Computed<WaitStatistics> compute(const facts::Input& run);
  void saved(facts::Fields& io, const RunSummary& run);

  std::vector<WaitSum> synchronizations;
  std::vector<WaitSum> system_calls;
};

/// The trace must have a host trace with HostTrace::waits.
WaitStatistics sum_waits(const trace::Trace& trace);

}  // namespace kr::analyze
