// Steps of a model in the kernels of one device, without annotations: a step has one stack of
// layers (layer_stack.hpp) and the kernels before and after it.
//
// Steps that repeat are found by a name that occurs once per step. Of every name, the stretches
// from one occurrence to the next are compared by a sum of hashes of their kernels. A name whose
// stretches are mostly equal to others is a candidate: there are some for the layers, some for the
// steps, and some for whole requests. A step is the shortest stretch that
// - has a stack of layers, in most stretches of the same number of layers, and
// - is bounded: in 9 of 10 stretches the kernels outside the stack have a copy between host and
//   device, a kernel that the rules label as sampling or embedding, or a launch of a graph that
//   begins or ends, and the stack has none of it; or the longest gap of the stretch is outside the
//   stack.
// A graph that was traced as one operation counts as the stack of a step, of unknown layers, if it
// is launched once per step: 9 of 10 pairs of graphs that follow each other have such a copy or
// label between them. Stacks of other steps may come between, too.
// Between two stacks, the step ends at the longest gap. If nothing repeats, the kernels themselves,
// or the parts between their longest gaps, are examined for one stack.
//
// Time: n log n of the kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyze/layer_stack.hpp"

namespace kr::analyze {

/// Kernels of a device in order of start, one entry of each list per kernel.
struct KernelSequence {
  /// What precedes or labels a kernel.
  static constexpr uint8_t after_copy = 1;   // a copy between host and device precedes it
  static constexpr uint8_t edge = 2;         // labelled as sampling or embedding
  static constexpr uint8_t graph = 4;        // the first one of the launch of a graph, or behind it
  static constexpr uint8_t whole_graph = 8;  // a graph that was traced as one operation

  std::vector<uint32_t> operations;  // in the trace
  std::vector<uint32_t> names;       // smaller than `distinct`
  std::vector<int64_t> gap_ns;       // from the end of all operations before it
  std::vector<uint8_t> marks;
  size_t distinct = 0;

  size_t size() const noexcept { return names.size(); }
};

struct StepPlaces {
  size_t begin = 0;  // its first kernel
  size_t end = 0;    // behind its last
  LayerStack stack;  // in places of the sequence
  /// The next step begins where this one ends.
  bool continues = false;
};

/// What shows where a step ends.
enum class Boundary : uint8_t { none, copies, labels, graphs, gaps };

struct StepPlacesFound {
  std::vector<StepPlaces> steps;  // by place, without overlaps
  Boundary boundary = Boundary::none;
  double bounded = 0;  // the part of the repeated steps that have it
};

StepPlacesFound find_steps(const KernelSequence& kernels);

}  // namespace kr::analyze
