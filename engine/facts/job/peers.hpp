// Sends with their receives, between the ranks of a job.
//
// The k-th send of a rank to another in a process group is the k-th receive there from it, in order
// of launch, if there are as many of both. Who is at the other end stands in the trace, or is the
// other member of a group of two whose ranks are listed. In a group of two the profiler's numbers
// (CollectiveInstance::sequence) decide where all have one: both members count the same operations.
// In larger groups each rank counts its own, so numbers say nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "job/clock.hpp"
#include "job/member.hpp"

namespace kr::job {

/// What one rank sends to another in a process group.
struct PeerTimes {
  std::string group;                // its name
  std::string ranks;                // as CollectiveGroup::ranks
  std::optional<int64_t> from, to;  // ranks; nullopt: the trace does not tell
  int64_t sends = 0;
  int64_t receives = 0;
  int64_t matched = 0;
  /// Why there are sends or receives that are not matched; empty: all are.
  std::string why_not;
  bool one_clock = false;  // of both
  // Of those that are matched.
  std::optional<int64_t> bytes;  // nullopt: not known, of all or of some
  int64_t send_ns = 0;
  int64_t receive_ns = 0;
  // On one clock: until the other has begun, at most the duration.
  int64_t send_waiting_ns = 0;
  int64_t receive_waiting_ns = 0;
};

/// A send and its receive: places in Member::collectives of the only member of their runs.
struct PeerPair {
  size_t from_run = 0;
  size_t to_run = 0;
  uint32_t send = 0;
  uint32_t receive = 0;
};

/// By group, sender, receiver. A rank is that of a run with one device; sends and receives of
/// others are not matched. `pairs`: those that are matched, if it is not null.
std::vector<PeerTimes> match_peers(std::span<const JobRun> runs, const ClockTable& clocks,
                                   std::vector<PeerPair>* pairs = nullptr);

}  // namespace kr::job
