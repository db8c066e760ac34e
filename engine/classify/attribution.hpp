// The step and the module of GPU operations, which enclose their launch, and their layer, found by
// repetition: if a graph launches a whole step at once, there are no modules.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "classify/periods.hpp"
#include "classify/phases.hpp"
#include "trace/trace.hpp"

namespace kr::classify {

/// An annotation of the host that the model's `phases` match. If several enclose an operation, the
/// innermost counts.
struct TraceStep {
  uint32_t range = 0;  // in HostTrace::ranges
  std::string text;
  Phase phase;
  int64_t start_ns = 0;         // on the host
  uint32_t outer = UINT32_MAX;  // the enclosing step; Attribution::none if there is none
};

/// Kernels that repeat, one layer after another: a part of a unit. A unit is the kernels of one
/// graph launch, or of one step, on one stream.
struct RepeatedBlock : Repetition {
  uint32_t track = 0;        // of the trace
  uint32_t step = 0;         // Attribution::none: outside steps
  size_t unit = 0;           // kernels of the unit
  size_t layers_before = 0;  // of blocks of level 0 before it in the unit
  size_t first_layer = 0;    // the number of its first layer in the trace
  bool graph = false;        // the unit is one launch of a graph
  int64_t total_ns = 0;      // of the block
  int64_t unit_ns = 0;       // of the unit
};

/// A number by operation. A trace in which no operation has one stores none.
class NumberOfOperation {
 public:
  static constexpr uint32_t none = UINT32_MAX;

  uint32_t operator[](size_t operation) const noexcept {
    return numbers_.empty() ? none : numbers_[operation];
  }
  void resize(size_t operations) { numbers_.resize(operations, none); }
  /// After `resize`.
  void set(size_t operation, uint32_t number) noexcept { numbers_[operation] = number; }

 private:
  std::vector<uint32_t> numbers_;
};

struct Attribution {
  static constexpr uint32_t none = NumberOfOperation::none;

  std::vector<TraceStep> steps;                // by start on the host
  NumberOfOperation step_of;                   // in `steps`
  NumberOfOperation module_of;                 // the innermost module, in HostTrace::ranges
  std::vector<RepeatedBlock> repeated_blocks;  // in the order of the units, by place
  /// The layer, among the layers of all blocks of level 0.
  NumberOfOperation layer_of;

  /// The block of a layer: its place in `repeated_blocks`.
  size_t block_of(uint32_t layer) const noexcept;
  /// A layer's number in its unit, from 0.
  size_t in_unit(uint32_t layer) const noexcept {
    const RepeatedBlock& block = repeated_blocks[block_of(layer)];
    return block.layers_before + layer - block.first_layer;
  }
};

/// A trace without a host trace has no steps and modules, only layers. Deterministic. Memory per
/// operation: 8 bytes if the trace has launches, 4 if it has layers, and 4 more during the
/// computation.
Attribution attribute(const trace::Trace& trace, const sema::Program& program,
                      const std::shared_ptr<const match::Database>& database, sema::ModelId model);

/// The time of operations in modules, only in layers, and in neither. Each operation counts once.
struct AttributionSums {
  int64_t module_ns = 0;
  int64_t layer_ns = 0;
  int64_t none_ns = 0;
  int64_t module_operations = 0;
  int64_t layer_operations = 0;
  int64_t none_operations = 0;
};
AttributionSums sum(const trace::Trace& trace, const Attribution& attribution);

/// Equal blocks of `units` units of the same kind and size.
struct LayerEvidence {
  RepeatedBlock block;  // the first of them, with the sums of `total_ns` and `unit_ns`
  size_t units = 0;
};
/// By descending `total_ns`.
std::vector<LayerEvidence> layer_evidence(const Attribution& attribution);

/// For a person: `period of 35 kernels, 11 times: 91.7 % of the time of 421 kernels of one graph
/// launch`.
std::string evidence(const RepeatedBlock& block);

}  // namespace kr::classify
