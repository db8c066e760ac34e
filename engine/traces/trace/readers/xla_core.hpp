// The ops of one core of a TPU, of which some enclose others, as stretches that do not overlap: a
// moment belongs to the op that began last. What an enclosing op (`while`, `call`, `conditional`)
// has of its own is what is left between the ops inside it, one stretch for each gap.
#pragma once

#include <cstdint>
#include <vector>

namespace kr::trace {

/// [start, end) in picoseconds. `id` is the caller's.
struct CoreOp {
  int64_t start_ps;
  int64_t end_ps;
  uint32_t id;
};

/// Sorts `ops`, and returns the stretches by start. An op without any time of its own is a stretch
/// of length 0 where it begins. Each op has at least one.
std::vector<CoreOp> stretches_of(std::vector<CoreOp>& ops);

}  // namespace kr::trace
