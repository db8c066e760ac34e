// Where GPU operations belong: to the step and the module that their launch stands in, and, where a
// graph launches all of a step at once, to the layer that their sequence repeats.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "classify/phases.hpp"
#include "trace/trace.hpp"

namespace kr::classify {

/// An annotation of the host that the model's `phases` know. Of nested ones the innermost counts.
struct TraceStep {
  uint32_t range = 0;  // in HostSide::ranges
  std::string text;
  Phase phase;
  int64_t start_ns = 0;         // on the host
  uint32_t outer = UINT32_MAX;  // the step that it stands in; Attribution::none: in no other
};

/// A stretch of repeating kernels: what one launch of a graph, or one step, put on one stream.
struct RepeatedBlock {
  uint32_t track = 0;        // of the trace
  uint32_t step = 0;         // Attribution::none: in no step
  size_t unit = 0;           // kernels that were looked through
  size_t first = 0;          // the first covered among them
  size_t period = 0;         // kernels a layer
  size_t repeats = 0;        // layers
  size_t layers_before = 0;  // of blocks of level 0 before it in the unit
  size_t first_layer = 0;    // of those before it in the trace: the number of its first
  uint32_t level = 0;        // 1 and more: inside one layer of the block before
  bool graph = false;        // the unit is one launch of a graph
  int64_t total_ns = 0;      // of what is covered
  int64_t unit_ns = 0;       // of all kernels looked through
};

struct Attribution {
  static constexpr uint32_t none = UINT32_MAX;

  std::vector<TraceStep> steps;     // by start on the host
  std::vector<uint32_t> step_of;    // by operation
  std::vector<uint32_t> module_of;  // by operation: the innermost module, in HostSide::ranges
  std::vector<RepeatedBlock> repeated_blocks;  // in the order of the units, by place
  /// By operation: which layer of all that blocks of level 0 have, in their order.
  std::vector<uint32_t> layer_of;

  /// The place among `repeated_blocks` of the block that a layer is of.
  size_t block_of(uint32_t layer) const noexcept;
  /// A layer's number in its unit, from 0.
  size_t in_unit(uint32_t layer) const noexcept {
    const RepeatedBlock& block = repeated_blocks[block_of(layer)];
    return block.layers_before + layer - block.first_layer;
  }
};

/// Least operations of a launch that make it one of a graph.
inline constexpr size_t least_graph = 2;

/// `trace` without a host side has no steps and modules, only layers. Deterministic. Memory: the 12
/// bytes an operation of an Attribution, and while it is made 4 more.
Attribution attribute(const trace::Trace& trace, const sema::Program& program,
                      const std::shared_ptr<const match::Database>& database, sema::ModelId model);

/// Time of operations in modules, in no module but a layer, in neither. They add up to all.
struct AttributionSums {
  int64_t module_ns = 0;
  int64_t layer_ns = 0;
  int64_t none_ns = 0;
  int64_t module_operations = 0;
  int64_t layer_operations = 0;
  int64_t none_operations = 0;
};
AttributionSums sum(const trace::Trace& trace, const Attribution& attribution);

/// Runs alike: found in so many units of one kind, each of as many kernels. Times are of all of
/// them.
struct LayerEvidence {
  RepeatedBlock block;  // the first of them, with `total_ns` and `unit_ns` of all
  size_t units = 0;
};
/// By time covered, falling.
std::vector<LayerEvidence> layer_evidence(const Attribution& attribution);

/// For a person: `period of 35 kernels, 11 times: 91.7 % of 421 kernels of one graph launch`.
std::string evidence(const RepeatedBlock& block);

}  // namespace kr::classify
