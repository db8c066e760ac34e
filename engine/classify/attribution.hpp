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
struct LayerRun {
  uint32_t track = 0;        // of the trace
  uint32_t step = 0;         // Attribution::none: in no step
  size_t unit = 0;           // kernels that were looked through
  size_t first = 0;          // the first covered among them
  size_t period = 0;         // kernels a layer
  size_t repeats = 0;        // layers
  size_t layers_before = 0;  // of runs of level 0 before it in the unit
  size_t first_layer = 0;    // of those before it in the trace: the number of its first
  uint32_t level = 0;        // 1 and more: inside one layer of the run before
  bool graph = false;        // the unit is one launch of a graph
  int64_t total_ns = 0;      // of what is covered
  int64_t unit_ns = 0;       // of all kernels looked through
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

  std::vector<TraceStep> steps;      // by start on the host
  NumberOfOperation step_of;         // in `steps`
  NumberOfOperation module_of;       // the innermost module, in HostSide::ranges
  std::vector<LayerRun> layer_runs;  // in the order of the units, by place
  /// The layer, among all layers of runs of level 0 in their order.
  NumberOfOperation layer_of;

  /// The place among `layer_runs` of the run that a layer is of.
  size_t run_of(uint32_t layer) const noexcept;
  /// A layer's number in its unit, from 0.
  size_t in_unit(uint32_t layer) const noexcept {
    const LayerRun& run = layer_runs[run_of(layer)];
    return run.layers_before + layer - run.first_layer;
  }
};

/// Least operations of a launch that make it one of a graph.
inline constexpr size_t least_graph = 2;

/// `trace` without a host side has no steps and modules, only layers. Deterministic. Memory
/// per operation: 8 bytes if the trace has launches, 4 if it has layers, and 4 more while it is
/// made.
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
  LayerRun run;  // the first of them, with `total_ns` and `unit_ns` of all
  size_t units = 0;
};
/// By time covered, falling.
std::vector<LayerEvidence> layer_evidence(const Attribution& attribution);

/// For a person: `period of 35 kernels, 11 times: 91.7 % of 421 kernels of one graph launch`.
std::string evidence(const LayerRun& run);

}  // namespace kr::classify
