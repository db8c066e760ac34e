// Calls of framework ops with the shapes of their arguments, as a profiler recorded them beside the
// calls of a HostTrace. Read only for the tables that show costs (OpenOptions::ops).
//
// Memory: 24 bytes a call, and what is the same for many calls once; while it is read as much
// again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/growing_array.hpp"
#include "base/op_arguments.hpp"

namespace kr::trace {

/// What is the same for many calls.
struct HostOp {
  std::string name;       // `aten::mm`
  OpArguments arguments;  // empty: none were recorded
};

struct OpCall {
  int64_t start_ns;
  int64_t end_ns;
  uint32_t op;      // in HostOps::ops
  uint32_t thread;  // in HostTrace::threads
};
static_assert(sizeof(OpCall) == 24);

/// A call of an op in a reference, whose launch was captured into a graph (NodeCreation::captured).
struct CapturedCall {
  static constexpr uint32_t none = UINT32_MAX;

  uint32_t op;     // in HostOps::ops
  uint32_t outer;  // the call around it, in HostOps::captured; none: there is none
};

struct HostOps {
  std::vector<HostOp> ops;     // in the order first met
  GrowingArray<OpCall> calls;  // by thread, start, the longer first
  std::vector<CapturedCall> captured;
};

}  // namespace kr::trace
