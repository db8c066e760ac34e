// What the ops of a run cost, and the operations that they launched. A clause of a `cost` block
// gives an op its FLOPs and bytes; see docs/cost.md.
//
// An operation belongs to the innermost op around its launch that a clause fits, going outwards. An
// op counts once, however many operations it launched, and its parents never again for these.
//
// Calls whose rate is above the roof of the GPU (above_peak.hpp) have no usable cost: a formula or
// the peak is wrong, so they are in no sum and no rate.
//
// An operation of a graph belongs to the ops around the creation of its node: in the trace itself,
// or in a reference whose shapes are surely the graph's (trace::NodeCreation::captured). There an
// op counts once in each launch of the graph.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/run.hpp"
#include "match/costs.hpp"
#include "ncu/gpus.hpp"

namespace kr::cost {

/// Why an operation has no cost, or which part of it.
enum class NoCost : uint8_t {
  none,        // FLOPs and bytes are known
  no_op,       // no op encloses the launch
  graph,       // it ran in a graph, and nothing surely shows the op and its shapes
  no_shapes,   // the arguments of the op were not recorded
  no_clause,   // no clause fits the op and its arguments
  no_amounts,  // a clause fits, and gives neither FLOPs nor bytes
  no_flops,    // a clause gives bytes alone
  no_bytes,    // a clause gives FLOPs alone
  above_peak   // by its cost it is faster than the GPU can be
};
constexpr size_t no_cost_reasons = 9;
/// As in tables; empty for `none`.
std::string_view to_string(NoCost why) noexcept;

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
  bool has_roof = false;  // FLOPs, bytes and their peaks are known, and it is not above the roof
  bool above_peak = false;
};

struct CostedRun {
  static constexpr facts::Set uses = facts::Set::of<analyze::RunSummary>();
  static constexpr facts::Reads reads = facts::Reads::host | facts::Reads::ops;
  static facts::Computed<CostedRun> compute(const facts::Input& run);
  /// Which calls are above the peak.
  std::optional<Warning> note(const facts::Input& run) const;

  static constexpr uint32_t none = UINT32_MAX;

  std::vector<CostedOp> ops;
  std::vector<CostedCall> calls;
  std::vector<uint32_t> call_of;       // by operation; none: no clause fits an op around its launch
  std::vector<NoCost> no_cost;         // by operation
  const ncu::GpuPeaks* gpu = nullptr;  // whose peaks are roofs; null: not known
  /// What was measured on this GPU; null: not known.
  std::shared_ptr<const ncu::GpuPeaks> measured_peaks;
  /// Time of operations: with any op around the launch, with one whose arguments were recorded,
  /// and where a clause gave usable FLOPs or bytes.
  int64_t op_ns = 0;
  int64_t graph_ns = 0;  // of graphs, where nothing shows the ops
  int64_t shapes_ns = 0;
  int64_t flops_ns = 0;
  int64_t bytes_ns = 0;
  int64_t above_peak_ns = 0;
  /// By op of the trace: time of operations whose innermost op it is, and that no clause fits.
  std::vector<int64_t> unknown_ns;
  std::vector<int64_t> unknown_calls;

  const match::OpCost& cost(const CostedCall& call) const { return ops[call.costed].cost; }
  NoCost lacks(const CostedCall& call) const;
};

/// The run has to have been read with trace::OpenOptions::ops; without ops nothing has a cost.
/// `gpu` may be null: then nothing is above the peak.
CostedRun cost_run(const match::CompiledRules& rules, const analyze::LabelledTrace& run,
                   const ncu::GpuPeaks* gpu);

/// The name of an operation.
std::string_view kernel_name(const trace::Trace& trace, size_t operation);

/// Shapes of arguments as a person writes them: `[8, 16] bf16, [16, 4] bf16, 3`.
std::string shapes_text(const OpArguments& arguments);

}  // namespace kr::cost
