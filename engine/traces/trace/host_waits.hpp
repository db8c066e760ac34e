// What threads of the host waited for, as a profiler recorded it beside the calls of a HostTrace.
// Read only for the tables that show it (OpenOptions::waits).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/growing_array.hpp"

namespace kr::trace {

struct HostWaits {
  /// A synchronisation: what a call waited for.
  struct Synchronization {
    int64_t correlation;  // of the call, as Launch::correlation
    int64_t start_ns;
    int64_t end_ns;
    uint32_t type;     // in `types`
    uint32_t process;  // in `processes`
  };
  /// A call of the operating system's runtime that took long enough to be recorded.
  struct SystemCall {
    int64_t start_ns;
    int64_t end_ns;
    uint32_t name;     // in `names`
    uint32_t process;  // in `processes`
  };

  std::vector<std::string> types;      // `stream_synchronize`
  std::vector<std::string> names;      // `poll`
  std::vector<std::string> processes;  // as HostThread::process
  GrowingArray<Synchronization> synchronizations;
  GrowingArray<SystemCall> system_calls;
};

}  // namespace kr::trace
