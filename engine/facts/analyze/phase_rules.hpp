// What found steps are called: by their layers, kernels, times and labels. Never by names.
//
// Only steps with one stack of the same number of layers as most others, attention in it, and
// less than 1 % of the time labelled `training` are prefill or decode. Where steps of other numbers
// of layers come between them (a draft model), no step is.
// - Two kinds: decode is the kind with most steps, at least 8, with times within a factor of 1.5 of
//   their median. Prefill takes twice this median or more, with kernels in its layers that decode
//   does not have, and a step follows at once, or follows one of the same kernels.
// - Graphs that were traced as one operation, one per step, at least 8: decode, if prefill comes
//   between them as above, or if sampling is outside the graphs.
// - One kind: decode, if 16 steps or more write the KV cache or sample, and the time of attention
//   grows from step to step, as the context does.
// - Else step by step, of those that write the KV cache or sample. Prefill: the product that makes
//   logits takes at most a quarter of the first product of an MLP, so it has few of the tokens.
//   Decode reads the weights of both, and those of the logits are more. Decode: one launch of a
//   graph has all layers; engines capture whole steps for decode, since prefill has another size
//   each time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyze/found_phases.hpp"

namespace kr::analyze {

/// What is known of a step.
struct StepFacts {
  uint32_t layers = 0;
  bool whole_graph = false;  // a graph that was traced as one operation; its layers are not known
  uint32_t stacks = 1;
  int64_t total_ns = 0;
  uint64_t layer_kernels = 0;  // a hash of the set of names in the stack
  int64_t attention_ns = 0;    // in the stack
  int64_t attention_outside_ns = 0;
  int64_t training_ns = 0;
  bool generates = false;  // a kernel is labelled as KV cache or sampling
  int64_t head_ns = 0;     // of the products that make logits, by their neighbours
  int64_t mlp_ns = 0;      // of the first products of MLPs, by their neighbours
  size_t mlps = 0;         // their number
  bool one_graph = false;  // one launch of a graph has all kernels of the stack
  bool continues = false;  // the next step begins where this one ends
};

struct PhaseVerdict {
  std::vector<FoundPhase> phases;           // by step; `other` where nothing is known
  Confidence confidence = Confidence::low;  // of prefill and decode
  bool any = false;                         // there is a step of these
  bool one_token_per_step = false;
  std::string why;  // what distinguishes prefill from decode, or why nothing does
};

/// `bounded`: the part of the steps whose end something shows (step_finder.hpp); 0: nothing
/// repeats.
PhaseVerdict name_steps(std::span<const StepFacts> steps, double bounded);

}  // namespace kr::analyze
