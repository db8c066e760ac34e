// What decided when each operation of a run began, and when it would begin if others took other
// times.
//
// Every moment of a run (a call begins or returns, an operation begins or ends) comes at the latest
// of `something before it + a delay`. An operation begins when all of these are done, each of which
// was done by its measured start:
//
// 1. The operations of its stream that had ended, and the usual gap from one to the next: the
//    median between operations of one stream of which the second was launched long before.
// 2. The call that launched it, and the usual launch latency: the median time from the begin of a
//    call to the start of its operation, by function, of operations that did not wait for their
//    device, whose stream had no wait since its last operation, and that copy no pageable memory.
//    Of a run without any it is `default_latency_ns`. If the
//    call still runs at the start less the latency, and no operation decided, the host was late in
//    the call (it loaded a module, waited for a lock, staged a copy): this time is the host's.
// 3. If the process called `cudaStreamWaitEvent` or its like between the last launch to its stream
//    and its own: the operations launched last to the other streams of the device. Traces name
//    neither the event nor the stream that is waited for.
// 4. In one launch of a graph: on each of its other streams, the last operation before the first
//    that had not ended.
// 5. Without a call that launched it: the operations of its device that had ended.
// 6. The begin of the operation before it on its stream, if that still ran (programmatic dependent
//    launch): it begins as long after, in proportion to the duration of that one. It waits for its
//    end, and then takes as long as measured, in proportion to its own duration.
//
// The rest of the time up to its start is its delay, which a replay keeps. A thread of the host
// spends as long between its calls and in them as measured, but
//
// 7. a call that synchronizes returns as long as measured after the operations that had ended when
//    it returned, of the devices that its process uses, and a call that copies after its operation,
//    if it returned behind it;
// 8. a launching call that took longer than its function usually does (the first of ten parts of
// its
//    calls) while as many launches were pending as ever in the run, and that returned right after
//    the start of an operation, waited for a place in the launch queue: it returns as long as
//    measured after that start;
// 9. a thread that made no call while other threads of its process launched or waited at least
//    `handover_calls` times goes on as long as measured after the last of these.
//
// A call inside another one that launches is a part of it. So the unchanged replay is exactly what
// was measured. A delay of more than `longest_delay_ns` has no cause that the trace shows: a replay
// with `explained_only` does without what exceeds it, but for the first operation, whose delay lies
// before the run (the call that launched it often sets up the GPU). How far that is from the
// measured time shows whether the rules above describe the run.
//
// One pass over operations and calls in order of time. Memory: 8 bytes per operation and 16 per
// call for the model, 16 and 8 more while it replays.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "trace/launched.hpp"
#include "trace/trace.hpp"

namespace kr::replay {

inline constexpr int64_t longest_delay_ns = 50'000;
inline constexpr int64_t handover_calls = 4;
/// Streams that rule 3 looks at, those launched to last.
inline constexpr size_t max_waited_streams = 8;
/// From one operation to the next, of a run in which no operation shows it: as on recent GPUs.
inline constexpr int64_t default_gap_ns = 1'000;
inline constexpr int64_t default_latency_ns = 5'000;
/// Rule 8: fewer pending launches fill no queue (those of CUDA hold 1,024); a call returns within
/// this time after a place is free.
inline constexpr int64_t min_pending = 32;
inline constexpr int64_t longest_release_ns = 2'000;

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
  /// of its stream that are overlapped, too. Synchronizing calls wait for it. Empty: none.
  std::vector<bool> overlapped;
  /// Of the time of the host between and in calls, but for waiting in them.
  double host = 1;
  bool explained_only = false;
};

/// What went on in a time that decided when an operation began.
enum class PathPart : uint8_t {
  operation,
  delay,            // from the end of an operation to the start of the next: the host was not late
  unexplained,      // what is waited for is not in the trace
  launch,           // from the launching call to the start, at most the usual latency
  host,             // of a thread, until it calls, or in a call that does not wait
  synchronization,  // of a call, from the end of what it waited for to its return
};
inline constexpr size_t path_parts = static_cast<size_t>(PathPart::synchronization) + 1;

/// A time that decided when an operation began.
struct Piece {
  PathPart part = PathPart::unexplained;
  int64_t from_ns = 0;
  int64_t to_ns = 0;
  /// That the part is, or leads to.
  uint32_t operation = 0;
  /// The call of that time, in HostTrace::launches: the one that launches, waits, or is running.
  /// HostRange::none: it is not one, or there may be several (of `host`).
  uint32_t call = trace::HostRange::none;
  /// Of `host`: its thread; HostRange::none of other parts.
  uint32_t thread = trace::HostRange::none;
};

class Decisions;

class Model {
 public:
  /// The trace has to outlive it. With a host trace if there is one.
  explicit Model(const trace::Trace& trace);

  /// `visit(operation, start_ns, end_ns)` for each, in the order of the trace. Saturates nothing:
  /// times are those of the trace, shifted.
  using Visit = std::function<void(uint32_t operation, int64_t start_ns, int64_t end_ns)>;
  void replay(const Changed& changed, const Visit& visit) const;
  const trace::Trace& trace() const noexcept { return trace_; }

  /// Whether it copies and has a launch, and the host waits for it in the call, or its name says
  /// that the memory is pageable.
  bool copies_pageable(uint32_t operation) const;
  /// From one operation of a stream to the next, as long as nothing else is waited for.
  int64_t gap_ns() const noexcept { return gap_ns_; }
  /// Of all functions.
  int64_t launch_latency_ns() const noexcept { return latency_ns_; }
  /// Operations that began before the call that launched them: for these, rule 2 does not hold.
  int64_t before_launch() const noexcept { return before_launch_; }
  int64_t without_launch() const noexcept { return without_launch_; }

 private:
  friend class Sweep;
  friend class Decisions;
  static constexpr uint32_t none = trace::HostRange::none;
  struct Wait {
    uint32_t operation;
    uint32_t on;  // an operation
  };

  void place_calls();
  void find_usual_times();
  void find_gap();
  void find_latencies();
  void find_queues();
  bool waited(uint32_t operation) const noexcept { return !waited_.empty() && waited_[operation]; }
  void find_waits();
  void wait_in_graph(const trace::LaunchPlaces& operations);
  uint32_t launch_of(uint32_t operation) const noexcept {
    if (!trace_.host || trace_.host->launch_of[operation] == none) return none;
    const uint32_t call = trace_.host->launch_of[operation];
    return outer_of_.empty() ? call : outer_of_[call];
  }
  const trace::Launch& call(uint32_t number) const { return trace_.host->launches[number]; }
  /// At most that of the function.
  int64_t latency_of(uint32_t launch) const noexcept { return latency_of_[call(launch).call]; }

  const trace::Trace& trace_;
  int64_t latency_ns_ = 0;
  int64_t gap_ns_ = default_gap_ns;
  int64_t before_launch_ = 0;
  int64_t without_launch_ = 0;
  std::vector<int64_t> latency_of_;     // by function
  std::vector<int64_t> usual_call_of_;  // by function: of launching calls, a tenth is shorter
  std::vector<int64_t> max_pending_;    // by device: launches that had not begun at one time
  std::vector<Wait> waits_;             // rules 3 and 4, by operation
  std::vector<bool> waited_;            // by operation: rule 3 may hold, whatever is found
  std::vector<uint32_t> operation_of_;  // by call: the last that it launched, or none
  /// By call: the first one that encloses it and does not synchronize, or itself. Empty: no call is
  /// inside another one.
  std::vector<uint32_t> outer_of_;
  std::vector<uint32_t> process_of_;  // by thread
  std::vector<uint32_t> device_of_;   // by track, numbered from 0
  size_t devices_ = 0;
  std::vector<std::vector<uint32_t>> devices_of_;  // by process
};

/// What decided the start of each operation of the measured run. Memory: 5 bytes per operation, 4
/// per call, 32 per call that waited.
class Decisions {
 public:
  /// The model and its trace have to outlive it.
  explicit Decisions(const Model& model);
  ~Decisions();

  /// Down to `until_ns` there are pieces: there `operation` ended, or began where it is what a full
  /// launch queue waited for; none: nothing earlier is known.
  struct Before {
    uint32_t operation = trace::HostRange::none;
    int64_t until_ns = 0;
  };
  using VisitPiece = std::function<void(const Piece&)>;
  /// Goes back from the start of an operation along what decided it: `visit` for pieces without
  /// gaps, the last first, down to `from_ns` or to another operation.
  Before back_from(uint32_t operation, int64_t from_ns, const VisitPiece& visit) const;
  /// The critical path: from the last operation to end back to the first start. The pieces add up
  /// to the span of the trace.
  void critical_path(const VisitPiece& visit) const;

 private:
  struct Recorded;
  const Model& model_;
  std::unique_ptr<Recorded> recorded_;
  uint32_t last_ = trace::HostRange::none;
};

}  // namespace kr::replay
