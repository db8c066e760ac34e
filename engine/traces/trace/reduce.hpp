// A trace of some of the operations of a trace, as if nothing else had been recorded.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.hpp"

namespace kr::trace {

/// From the first begin to the last end of operations and of the calls that launched them. What of
/// the host overlaps it belongs to a reduced trace.
struct WorkTime {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;

  bool overlaps(int64_t start_ns, int64_t end_ns_of) const noexcept {
    return start_ns <= end_ns && end_ns_of >= begin_ns;
  }
};
/// The trace has operations.
WorkTime work_time(const Trace& trace);

/// By time of creations: ranges that enclose one belong to a reduced trace, whenever they are.
class CreationTimes {
 public:
  explicit CreationTimes(const HostTrace& host);
  bool any_in(uint32_t thread, int64_t start_ns, int64_t end_ns) const noexcept;

 private:
  std::vector<std::vector<int64_t>> of_thread_;  // rising
};

struct Kept {
  std::vector<bool> operations;  // at least one
  /// Ranges that do not belong to them although they overlap their time: annotations of steps of
  /// other operations. Empty: there are none.
  std::vector<bool> without_ranges = {};
  std::vector<int64_t> cut_steps = {};  // HostTrace::cut_steps of what is left, beside those before
};

/// Leaves these operations in the trace, and of everything else what belongs to them:
///
/// - calls of the host that launched one of them, and calls that overlap the WorkTime of what is
///   left and launched none of the others;
/// - ranges, ops and waits of the host that overlap it, and ranges that enclose the creation of a
///   node that is left, but none of `without_ranges`;
/// - samples of GPUs in it.
///
/// Names, tracks, calls, threads and names of ranges are those that are left. What was dropped and
/// warned of is what was said of the whole. In place; memory: 4 bytes per launch.
void reduce(Trace& trace, const Kept& kept);

}  // namespace kr::trace
