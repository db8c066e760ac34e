// Runs that wait for each other in collectives, replayed together.
//
// A collective that needs data of all of its members ends on none before the last has begun; a
// receive, not before the send. So its measured time on a member is waiting, from its begin to the
// last begin of those that it waits for, and transfer, the rest.
// In a replay the waiting follows from when the members begin; the transfer is the collective's own
// time. The clocks of runs may differ from each other by a little: where a member ended before the
// last began, it ends as much earlier in the replay, so that the unchanged replay is what was
// measured.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "replay/model.hpp"

namespace kr::replay {

/// A collective on one member.
struct CollectivePart {
  uint32_t operation = 0;
  uint32_t collective = 0;  // from 0, of all runs together
  int64_t shift_ns = 0;     // from the run's clock to that of the others, at this operation
  bool is_needed = true;    // others wait for it to begin; one of them at least
  bool waits = true;        // for those that are needed
};

/// What a replay needs of one run. Changed::duration_ns has the duration of each operation; of a
/// collective, the time from the last begin to the end.
struct RunInJob {
  const Model* model = nullptr;
  const Changed* changed = nullptr;
  std::span<const CollectivePart> parts;  // by operation
};

/// Measured times of the parts of one run.
struct PartTime {
  /// From the begin to the last begin of those that are needed: may be longer than the operation
  /// took. 0 of one that does not wait.
  int64_t to_last_ns = 0;
  int64_t duration_ns = 0;

  int64_t waiting_ns() const noexcept { return std::min(to_last_ns, duration_ns); }
  int64_t transfer_ns() const noexcept { return duration_ns - waiting_ns(); }
};

/// One trace per run. By run, by part.
std::vector<std::vector<PartTime>> part_times(std::span<const trace::Trace* const> traces,
                                              std::span<const std::vector<CollectivePart>> parts);

/// `visit(run, operation, start_ns, end_ns)` once for each operation, those of a run about in the
/// order of its trace. Returns how many collectives ended without some of their members, because
/// these would only begin after something that waits for the end: clocks are wrong, or collectives
/// are not matched rightly.
using VisitOfRun =
    std::function<void(size_t run, uint32_t operation, int64_t start_ns, int64_t end_ns)>;
size_t replay_together(std::span<const RunInJob> runs, const VisitOfRun& visit);

}  // namespace kr::replay
