// Why each operation of a run began when it did, and when it would begin if others took other
// times.
//
// An operation is ready when all that it waits for is done; each was done by its measured start:
//
// 1. The operations of its stream that had ended.
// 2. The begin of the call that launched it, and the launch latency: that of the run's operations
//    whose device was idle when they were launched (the median), or what this one took, if less.
// 3. If the process called `cudaStreamWaitEvent` or its like between the last launch to its stream
//    and its own: the operations launched last to the other streams of the device. Traces name
//    neither the event nor the stream that is waited for.
// 4. In one launch of a graph: on each of its other streams, the last operation before the first
//    that had not ended.
// 5. Without a call that launched it: the operations of its device that had ended.
//
// The time from then to its start is its delay, which a replay keeps. A thread of the host spends
// as long between its calls and in them as measured, but
//
// 6. a call that synchronises returns as long as measured after the operations that had ended when
//    it returned, of the devices that its process uses, and a call that copies after its operation,
//    if it returned behind it;
// 7. a thread that made no call while other threads of its process launched or waited at least
//    `handover_calls` times goes on as long as measured after the last of these.
//
// So the unchanged replay is exactly what was measured. A delay of more than `longest_delay_ns` has
// no cause that the trace shows: a replay with `explained_only` does without what exceeds it, but
// for the first operation, whose delay lies before the run (the call that launched it often sets up
// the GPU). How far that is from the measured time tells whether the rules above describe the run.
//
// One pass over operations and calls in order of time. Memory: 8 bytes per operation and 12 per
// call for the model, 16 and 8 more while it replays.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "trace/launched.hpp"
#include "trace/trace.hpp"

namespace kr::replay {

inline constexpr int64_t longest_delay_ns = 50'000;
inline constexpr int64_t handover_calls = 4;
/// Streams that rule 3 looks at, those launched to last.
inline constexpr size_t most_waited_streams = 8;

/// [first start, last end) of operations.
struct Extent {
  int64_t first_ns = std::numeric_limits<int64_t>::max();
  int64_t last_ns = std::numeric_limits<int64_t>::min();

  bool empty() const noexcept { return first_ns > last_ns; }
  int64_t span_ns() const noexcept { return empty() ? 0 : last_ns - first_ns; }
  void add(int64_t start_ns, int64_t end_ns) noexcept {
    first_ns = std::min(first_ns, start_ns);
    last_ns = std::max(last_ns, end_ns);
  }
};

/// What is different in a replay.
struct Changed {
  /// By operation; empty: as measured.
  std::vector<int64_t> duration_ns;
  /// By operation: no other operation waits for it. It begins when it otherwise would, behind those
  /// of its stream that are overlapped, too. Synchronising calls wait for it. Empty: none.
  std::vector<bool> overlapped;
  /// Of the time of the host between and in calls, but for waiting in them.
  double host = 1;
  bool explained_only = false;
};

/// A part of the critical path.
enum class PathPart : uint8_t {
  operation,
  delay,            // between being ready and starting
  unexplained,      // the same beyond longest_delay_ns, and before the first operation of a path
  launch,           // from the begin of the launching call, at most the launch latency
  host,             // of a thread, until it calls
  synchronization,  // of a call, from the end of what it waited for to its return
};
inline constexpr size_t path_parts = static_cast<size_t>(PathPart::synchronization) + 1;

class Model {
 public:
  /// The trace has to outlive it. With a host trace if there is one.
  explicit Model(const trace::Trace& trace);

  /// `visit(operation, start_ns, end_ns)` for each, in the order of the trace. Saturates nothing:
  /// times are those of the trace, shifted.
  using Visit = std::function<void(uint32_t operation, int64_t start_ns, int64_t end_ns)>;
  void replay(const Changed& changed, const Visit& visit) const;

  /// Of what was measured, from the last operation to end backwards: `visit(part, operation, ns)`;
  /// the operation that the part is, or leads to. The parts add up to the span of the trace.
  using VisitPath = std::function<void(PathPart part, uint32_t operation, int64_t ns)>;
  void critical_path(const VisitPath& visit) const;

  int64_t launch_latency_ns() const noexcept { return latency_ns_; }
  /// Operations that began before the call that launched them: for these, rule 2 does not hold.
  int64_t before_launch() const noexcept { return before_launch_; }
  int64_t without_launch() const noexcept { return without_launch_; }

 private:
  friend class Sweep;
  static constexpr uint32_t none = trace::HostRange::none;
  struct Wait {
    uint32_t operation;
    uint32_t on;  // an operation
  };

  void find_latency();
  void find_waits();
  void wait_in_graph(const trace::LaunchPlaces& operations);
  uint32_t launch_of(uint32_t operation) const noexcept {
    return trace_.host ? trace_.host->launch_of[operation] : none;
  }

  const trace::Trace& trace_;
  int64_t latency_ns_ = 0;
  int64_t before_launch_ = 0;
  int64_t without_launch_ = 0;
  std::vector<Wait> waits_;             // rules 3 and 4, by operation
  std::vector<uint32_t> operation_of_;  // by call: the last that it launched, or none
  std::vector<uint32_t> process_of_;    // by thread
  std::vector<uint32_t> device_of_;     // by track, numbered from 0
  size_t devices_ = 0;
  std::vector<std::vector<uint32_t>> devices_of_;  // by process
};

}  // namespace kr::replay
