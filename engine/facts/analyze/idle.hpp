// Why devices were idle: what decided when the operation began that ended each gap.
//
// A device is idle in gaps between its operations; each gap ends with an operation. Of the
// operations that end a gap together, the first in the order of the trace counts. From its start
// kr goes back along what decided it (replay/model.hpp), and charges each part of the gap to what
// was going on there:
//
// - `host`: a thread of the host computed, or was in a call that neither waits nor copies. So does
//   a launching call that takes longer than usual. Waiting of the host itself outside
//   of calls (for requests, another process) counts, too: no trace distinguishes it.
// - `synchronization`: a call returned after the work that it waited for had ended.
// - `copy`: a call that copies: it staged pageable memory, or returned.
// - `launch`: from the launching call to the start, at most the usual latency.
// - `queued`: the operation was launched earlier; from the end of what it waited for to its start.
//   The host was not late.
// - `untraced`: the operation was launched and ready, or a call waited, for something that is not
//   in the trace.
// - `unknown`: the launch of the operation is not in the trace.
//
// Each device is looked at by itself. A thread that launches to several devices may be charged for
// the same time by each of them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "facts/fact.hpp"
#include "trace/trace.hpp"

namespace kr::analyze {

enum class IdleCause : uint8_t { host, synchronization, copy, launch, queued, untraced, unknown };
inline constexpr std::array idle_causes{
    IdleCause::host,   IdleCause::synchronization, IdleCause::copy,   IdleCause::launch,
    IdleCause::queued, IdleCause::untraced,        IdleCause::unknown};
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
  /// The host was late: its own time, synchronization and copies.
  int64_t host_bound_ns() const;
  int64_t total_ns() const;
};

struct Idle {
  static constexpr facts::Set uses = facts::Set::of<RunSummary>();
  static constexpr facts::Reads reads = facts::Reads::host | facts::Reads::waits;
  /// Absent: the format has no launches. The parts of the idle time add up to that of the run's
  /// devices.
  static facts::Computed<Idle> compute(const facts::Input& run);
  void saved(facts::Fields& io, const RunSummary& run);

  std::vector<DeviceIdle> devices;  // by device
};

/// By device, of those with operations. The trace must have a host trace.
std::vector<DeviceIdle> find_idle_causes(const trace::Trace& trace);

}  // namespace kr::analyze
