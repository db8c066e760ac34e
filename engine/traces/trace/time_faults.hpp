// Operations whose times cannot be right, of any format: found, reported, and left out of time.
//
// A profiler sometimes writes a record with a wrong time: 0, an end before the start, a difference
// that overflowed. One such record must not stop the run, and must not move its span, its idle time
// or the time of its label. So it keeps its instance, with a duration of 0, at a place that moves
// nothing; a note (`implausible-times`) and a finding count it. With OpenOptions::strict it is an
// Error instead.
//
// Wrong is:
// - what a reader marks (trace/time_fault.hpp): a time that is missing, negative, beyond 64 bits of
//   nanoseconds, or an end before the start;
// - a start and an end of 0, if all other operations start at 1 us or later, and the format does
// not
//   count from the first time (TraceBuilder::times_from_zero);
// - a start that is more than a day away from all others. Of the groups with such gaps between them
//   the largest is the run. Of the others, one whose starts are all 0 is wrong, and one that has at
//   most a tenth of the operations of the run;
// - a duration of more than a day;
// - a duration that its stream does not allow. Operations of a stream run one after the other, so
//   one of at least 1 ms that contains at least two whole later operations of its stream is wrong
//   if it lasts at least four times as long as everything that contains none, from the first start
//   to the last end; if it ends behind all of these, and lasts ten times as long as the longest
//   other operation of its name; or if it contains at least eight which fill half of it (a tenth),
//   and lasts ten times (a hundred times) as long as the longest other of its name. Less is not
//   a proof: a kernel may start before the one before it has ended (programmatic dependent launch),
//   and branches of a CUDA graph may run at the same time on what a trace calls one stream. Streams
//   that a reader had to make up (TraceBuilder::made_up_streams) allow everything.
//
// Cost: one pass over the sorted operations, and a few bytes a stream. All else is done only if
// there is something to look at.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "trace/trace.hpp"

namespace kr::trace {

struct FaultyOperation {
  uint32_t place = 0;  // among the sorted operations
  TimeFault fault = TimeFault::missing;
  bool has_start = false;  // only its duration is wrong
};

/// Operations as a TraceBuilder has sorted them.
struct SortedOperations {
  GrowingArray<Operation>& operations;
  const uint32_t* tracks =
      nullptr;  // by Operation::track, if that is a number; null: it is a track
  size_t track_count = 0;
  size_t name_count = 0;

  uint32_t track(const Operation& operation) const noexcept {
    return tracks == nullptr ? operation.track.index : tracks[operation.track.index];
  }
};

/// By place.
std::vector<FaultyOperation> find_time_faults(const SortedOperations& sorted, bool known_streams,
                                              bool from_zero = false);

/// When the launch of the operation at a place began; nullopt: it has none that is known.
using LaunchTime = std::function<std::optional<int64_t>(uint32_t place)>;

/// Gives faulty operations a duration of 0 and a place that moves nothing: their own start, within
/// first start and last end of the others. Without a start, behind what was launched before them on
/// their stream and not before their own launch; without a launch, where their stream begins.
/// The operations are then no longer sorted.
void leave_out_of_time(const SortedOperations& sorted, const std::vector<FaultyOperation>& faulty,
                       const LaunchTime& launch_time);

/// `3 with a start of zero, which others do not have, 1 longer than the stream allows`
std::string describe_time_faults(const std::vector<FaultyOperation>& faulty);

}  // namespace kr::trace
