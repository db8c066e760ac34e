// What holds each launch of a trace: its launches are gone through in their order, a thread's
// ranges opened and closed beside them. Ranges may overlap in any way; each is opened once, so that
// however many are open at a time, a launch costs what changed since the one before it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/host_side.hpp"

namespace kr {

class RangeSweep {
 public:
  explicit RangeSweep(const HostSide& host);

  struct Open {
    /// The ranges that hold the launch's start, on its thread and for all of its process, in the
    /// order in which they began. Good until the next call.
    std::span<const uint32_t> ranges;
    size_t unchanged;  // so many of the first are those of the thread's launch before
  };
  /// `launch` is greater than any before.
  Open at(uint32_t launch);

 private:
  struct Thread {
    uint32_t next = 0;  // of its own ranges, and the end
    uint32_t end = 0;
    uint32_t next_shared = 0;  // of those of its process
    uint32_t end_shared = 0;
    int64_t first_end = INT64_MAX;  // of the open ones
    std::vector<uint32_t> open;
  };
  size_t close(Thread& thread, int64_t time) const;
  uint32_t next_begun(Thread& thread, int64_t time) const;

  const HostSide* host_;
  std::vector<Thread> threads_;
};

/// Calls `tell(launch, state)` for every launch in order, where `state` is `outside`, changed by
/// `add(state, range)` for each range that holds it, the one that began first first.
template <class State, class Add, class Tell>
void fold_ranges(const HostSide& host, const State& outside, const Add& add, const Tell& tell) {
  RangeSweep sweep(host);
  std::vector<std::vector<State>> known(host.threads.size());  // by thread: at each open range
  for (uint32_t i = 0; i < host.launches.size(); ++i) {
    const RangeSweep::Open open = sweep.at(i);
    std::vector<State>& states = known[host.launches[i].thread];
    states.resize(open.unchanged, outside);
    for (const uint32_t range : open.ranges.subspan(open.unchanged)) {
      states.push_back(add(states.empty() ? outside : states.back(), range));
    }
    tell(i, states.empty() ? outside : states.back());
  }
}

}  // namespace kr
