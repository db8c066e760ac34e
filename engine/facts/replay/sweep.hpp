// One replay of a run by its model: a pass over operations and calls in the order of time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "replay/model.hpp"
#include "replay/together.hpp"
#include "trace/call_kinds.hpp"

namespace kr::replay {

/// A time at which nothing happened.
inline constexpr int64_t never = std::numeric_limits<int64_t>::min();
inline constexpr uint32_t nothing = trace::HostRange::none;

/// What something waits for: when all of it was done as measured, and when it is in the replay.
struct Done {
  int64_t measured_ns = never;
  int64_t replayed_ns = never;
  uint32_t by = nothing;  // the operation that was done last as measured

  bool known() const noexcept { return measured_ns != never; }
  void add(int64_t measured, int64_t replayed, uint32_t operation) noexcept {
    if (measured >= measured_ns) {
      measured_ns = measured;
      by = operation;
    }
    replayed_ns = std::max(replayed_ns, replayed);
  }
  void add(const Done& other) noexcept {
    if (other.known()) add(other.measured_ns, other.replayed_ns, other.by);
  }
};

/// Model, changes and what is recorded have to outlive it. `recorded`: null, or with changes that
/// change nothing.
class Sweep {
 public:
  /// What decided each start, as measured.
  struct Recorded {
    /// Of a thread, from a call that waited, or that came after those of other threads.
    struct Segment {
      enum class Kind : uint8_t {
        waited,        // for the end of `operation`
        queue,         // for the start of `operation`
        unknown,       // for something that the trace does not have
        other_thread,  // the thread goes on after another one
      };
      int64_t from_ns = never;
      int64_t waited_from_ns = 0;  // the end or start that was waited for; else where it begins
      Kind kind = Kind::other_thread;
      uint32_t operation = nothing;
      uint32_t call = nothing;    // that waited
      uint32_t before = nothing;  // the segment then
    };
    std::vector<Segment> segments;
    std::vector<uint32_t> segment_of;  // by call
    /// By operation: the one that was waited for, or that still ran on its stream; nothing: none.
    std::vector<uint32_t> after;
    std::vector<bool> by_launch;  // by operation
  };

  Sweep(const Model& model, const Changed& changed, Recorded* recorded);

  /// The operations that are collectives, by operation. They and their times outlive the sweep.
  void join(std::span<const CollectivePart> parts, std::span<const PartTime> times);
  /// Goes on until all operations are done, or the end of a collective decides what follows and is
  /// not known yet. Whether all are done. Without collectives: once.
  bool advance(const Model::Visit& visit);

  struct BegunPart {
    uint32_t part;
    int64_t begin_ns;
  };
  /// Parts that began since this was last called.
  std::vector<BegunPart> take_begun() { return std::exchange(begun_parts_, {}); }
  /// `last_ns`: the last begin of all members, on the clock of this run. Nothing if it has ended.
  void end_part(uint32_t part, int64_t last_ns, const Model::Visit& visit);
  /// The part without an end that is needed first.
  std::optional<uint32_t> first_needed() const;
  int64_t begin_ns_of(uint32_t part) const { return begin_ns_[parts_[part].operation]; }

 private:
  struct Thread {
    int64_t measured_ns = never;  // a time, and when it is in the replay
    int64_t replayed_ns = never;
    int64_t returned_ns = never;  // from the last call that waited
    int64_t worked = 0;           // calls of its process that worked, at its last call
    uint32_t segment = nothing;
  };
  struct Process {
    int64_t worked = 0;       // calls that launched or waited
    uint32_t last = nothing;  // the thread of the last of them
  };
  struct Return {
    int64_t end_ns;
    uint32_t call;
    int64_t replayed_ns;  // when the call began
    uint32_t segment;
    bool queue;  // it may have waited for a place in the launch queue
    friend bool operator<(const Return& a, const Return& b) {
      return std::pair(a.end_ns, a.call) > std::pair(b.end_ns, b.call);
    }
  };
  struct Running {
    int64_t end_ns;
    uint32_t operation;
    friend bool operator<(const Running& a, const Running& b) {
      return std::pair(a.end_ns, a.operation) > std::pair(b.end_ns, b.operation);
    }
  };

  /// The last operation of a device to begin.
  struct Begun {
    int64_t measured_ns = never;
    int64_t replayed_ns = never;
    uint32_t operation = nothing;
  };
  /// What a start waits for, and how long after it.
  struct Ready {
    Done done;  // with the delay to the start
    bool by_launch = false;
  };

  void index_recorded_waits();
  /// Whether the call synchronizes, by its function or by what the trace recorded.
  bool waits(const trace::Launch& call) const;

  /// What had ended by then, of a device.
  void end_until(uint32_t device, int64_t time);
  /// When the thread is where it was measured at `time`.
  int64_t now(const Thread& thread, int64_t time) const;
  void take_call(uint32_t number);
  /// Of a thread that made no call while others of its process did.
  bool follows_other_thread(const Thread& thread, const Process& process,
                            const trace::Launch& call) const;
  bool may_wait_in_queue(uint32_t number) const;
  void take_return();
  /// What the call waited for by its return.
  Done waited_for(const Return& one, Recorded::Segment::Kind& kind);
  void end_call(const Return& one, const Done& done, Recorded::Segment::Kind kind);
  Ready ready(uint32_t i);
  /// The operation before it on its stream, if that still ran when it began; else nothing.
  uint32_t running_before(uint32_t i) const;
  int64_t duration_of(uint32_t i) const;
  /// When an operation begins that began at `start_ns` while `before` ran.
  int64_t begin_behind(uint32_t before, int64_t start_ns) const;
  /// A part of the operation's measured duration, as of its duration in the replay.
  int64_t in_proportion(int64_t ns, uint32_t i) const;
  void take_operation(uint32_t i, const Model::Visit& visit);
  /// Of an operation that began: its end, or what it follows from. `before`: of running_before.
  void find_end(uint32_t i, uint32_t before, const Model::Visit& visit);
  /// The end of one that runs `rest_ns` longer than the operation before it, as measured.
  int64_t end_behind(uint32_t i, uint32_t before, int64_t rest_ns) const;
  bool is_overlapped(uint32_t i) const;
  void set_end(uint32_t i, int64_t end_ns, const Model::Visit& visit);
  /// Its number in `parts_`, or nothing.
  uint32_t part_of(uint32_t i) const;

  /// An operation that began, and whose end follows from a collective that has not ended.
  struct Unknown {
    int64_t end_ns;  // as measured
    uint32_t operation;
    uint32_t part;    // nothing: the operation ends `rest_ns` after `before`
    uint32_t before;  // on its stream, as of running_before
    int64_t rest_ns;
  };
  const Unknown* unknown(uint32_t i) const;
  /// Whether something that had ended by then has no end yet.
  bool is_needed(int64_t time) const noexcept { return time >= first_unknown_ns_; }
  /// Whether the operation begins during the transfer of a collective that has no end yet.
  bool begins_in_transfer(uint32_t i) const;
  void add_unknown(const Unknown& one);
  void end_of_unknown(uint32_t i, int64_t end_ns, const Model::Visit& visit);

  const Model& model_;
  const trace::Trace& trace_;
  const Changed& changed_;
  Recorded* recorded_;
  std::vector<trace::CallKind> kinds_;  // by function
  const trace::HostWaits* recorded_waits_ = nullptr;
  std::vector<int64_t> waiting_;      // correlations of calls that waited, rising
  std::vector<int64_t> begin_ns_;     // by operation
  std::vector<int64_t> end_ns_;       // by operation
  std::vector<int64_t> seen_end_ns_;  // what others wait for
  std::vector<int64_t> launched_ns_;  // by call
  std::vector<Done> ended_;           // by track
  std::vector<int64_t> overlapped_end_;
  std::vector<Done> ended_on_;                         // by device
  std::vector<int64_t> returned_on_;                   // when all of them end, overlapped ones, too
  std::vector<std::priority_queue<Running>> running_;  // by device
  std::vector<uint32_t> last_of_;                      // by track: the last operation that began
  std::vector<Begun> begun_on_;                        // by device
  std::vector<int64_t> pending_on_;                    // by device: launches that have not begun
  std::priority_queue<Return> returns_;
  std::vector<Thread> threads_;
  std::vector<Process> processes_;
  std::span<const CollectivePart> parts_;
  std::span<const PartTime> part_times_;
  std::vector<BegunPart> begun_parts_;
  std::vector<Unknown> unknown_;  // few
  int64_t first_unknown_ns_ = std::numeric_limits<int64_t>::max();
  uint32_t next_part_ = 0;
  uint32_t next_call_ = 0;
  uint32_t next_operation_ = 0;
  size_t next_wait_ = 0;
};

}  // namespace kr::replay
