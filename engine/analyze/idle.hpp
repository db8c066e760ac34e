// Why devices were idle, from the calls of the host.
//
// A device is idle in gaps between its operations; each gap ends with an operation, which a call on
// some thread launched. Of the operations that end a gap together, the first in the order of the
// trace counts. Before the launching call began, the host had not asked for the operation: each
// nanosecond is charged to what the thread of that call was doing then. From its begin on, the
// cause is launch latency.
//
// - A call inside another one on its thread (of the driver inside one of the runtime) is part of
//   it: at any time, the call that began first is the one that runs. Synchronising and copying
//   calls come before others: `cudaMalloc` that makes `cuCtxSynchronize` waits in it, and
//   `cudaMemcpy` that makes `cuStreamSynchronize` copies.
// - The launching call begins with the call that encloses it: of a copy, or of anything else but a
//   synchronisation, that runs when it begins and does not end before it.
// - The operations of a CUDA graph are launched by the one call that launched the graph.
// - Each device is looked at by itself. A thread that launches to several devices may be charged
//   for the same time by each of them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.hpp"

namespace kr::analyze {

enum class IdleCause : uint8_t { synchronization, copy, no_work, launch_latency, unknown };
inline constexpr std::array idle_causes{IdleCause::synchronization, IdleCause::copy,
                                        IdleCause::no_work, IdleCause::launch_latency,
                                        IdleCause::unknown};
std::string_view to_string(IdleCause cause) noexcept;

/// Idle time with one cause. A gap may have several causes: it counts in each.
struct IdleSum {
  int64_t total_ns = 0;
  int64_t gaps = 0;        // with at least 1 ns of it
  int64_t longest_ns = 0;  // the most in one gap
};

/// Idle time with one cause while one function ran.
struct IdleCall {
  IdleCause cause = IdleCause::unknown;
  /// Of the call that the thread was in. Of launch latency: the launching call, as long as it had
  /// not returned. Empty: none.
  std::string api;
  int64_t total_ns = 0;
  int64_t gaps = 0;
};

struct DeviceIdle {
  int32_t device = 0;
  std::array<IdleSum, idle_causes.size()> causes;  // add up to the idle time of the device
  std::vector<IdleCall> calls;                     // add up to it, too; by cause, falling total

  const IdleSum& of(IdleCause cause) const { return causes[static_cast<size_t>(cause)]; }
  /// Before the launching call began: synchronisation, copies and no work.
  int64_t host_bound_ns() const;
  int64_t total_ns() const;
};

/// By device, of those with operations. The trace must have a host trace.
std::vector<DeviceIdle> find_idle_causes(const trace::Trace& trace);

}  // namespace kr::analyze
