// What the ops of a run cost, and the operations that they launched. A clause of a `cost` block
// gives an op its FLOPs and bytes; see docs/cost.md.
//
// An operation belongs to the innermost op around its launch that a clause fits, going outwards. An
// op counts once, however many operations it launched, and its parents never again for these.
//
// An operation of a graph belongs to the ops around the creation of its node: in the trace itself,
// or in a reference whose shapes are surely the graph's (trace::NodeCreation::captured). There an
// op counts once in each launch of the graph.
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/run.hpp"
#include "match/costs.hpp"

namespace kr::cost {

/// Calls of one op with the same arguments and the same cost.
struct CostedOp {
  uint32_t op = 0;  // in HostOps::ops
  sema::CostId clause;
  match::OpCost cost;
};

/// One call of an op, with the operations it launched.
struct CostedCall {
  uint32_t costed = 0;   // in CostedRun::ops
  int64_t total_ns = 0;  // of its operations
  /// Its longest operation, by its place in the trace; of several the first. The cost is of its
  /// label, layer, module and step.
  uint32_t longest = 0;
};

struct CostedRun {
  static constexpr uint32_t none = UINT32_MAX;

  std::vector<CostedOp> ops;
  std::vector<CostedCall> calls;
  std::vector<uint32_t> call_of;  // by operation; none: no clause fits an op around its launch
  /// Time of operations: with any op around the launch, with one whose arguments were recorded,
  /// and where a clause gave FLOPs or bytes.
  int64_t op_ns = 0;
  int64_t graph_ns = 0;  // of graphs, where nothing tells the ops
  int64_t shapes_ns = 0;
  int64_t flops_ns = 0;
  int64_t bytes_ns = 0;
  /// By op of the trace: time of operations whose innermost op it is, and that no clause fits.
  std::vector<int64_t> unknown_ns;
  std::vector<int64_t> unknown_calls;

  const match::OpCost& cost(const CostedCall& call) const { return ops[call.costed].cost; }
};

/// The run has to have been read with trace::OpenOptions::ops; without ops nothing has a cost.
CostedRun cost_run(const match::CompiledRules& rules, const analyze::LabelledTrace& run);

/// Shapes of arguments as a person writes them: `[8, 16] bf16, [16, 4] bf16, 3`.
std::string shapes_text(const OpArguments& arguments);

}  // namespace kr::cost
