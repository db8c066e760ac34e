// What a comparison has to know of a run: the time of its names with their labels, and of its
// steps. A saved run has this, too, without its operations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/layers.hpp"
#include "analyze/repeats.hpp"
#include "analyze/sequences.hpp"
#include "analyze/steps.hpp"
#include "changes/parts.hpp"
#include "trees/view.hpp"

namespace kr::changes {

struct LabelTime {
  size_t dimension = 0;  // in Profile::dimensions
  std::string label;
  int64_t total_ns = 0;
};

/// A step that is inside no other one, and launched operations.
struct StepTime {
  std::string phase;
  int64_t total_ns = 0;
  std::vector<LabelTime> labels = {};
  /// To the start of the next step, and what of it has an operation of the step. Nothing of the
  /// last step, and of module trees.
  std::optional<int64_t> wall_ns = {};
  int64_t busy_ns = 0;
};

/// Of all steps of a phase, where a profile has only some of them (analyze::StepSample).
struct StepsTime {
  std::string phase;
  int64_t steps = 0;
  int64_t total_ns = 0;
  std::vector<LabelTime> labels = {};
};

struct NameTime {
  std::string name;
  OperationKind kind = OperationKind::kernel;
  std::vector<std::string> labels;  // by dimension
  Amount amount;
};

/// The operations of a name that order rules give one label.
struct OrderedTime {
  size_t dimension = 0;
  size_t name = 0;  // in `names`
  std::string label;
  Amount amount;
};

struct Profile {
  static constexpr facts::Set uses =
      facts::Set::of<analyze::RunSummary, analyze::StepSums, analyze::Layers, analyze::Repeats,
                     analyze::Sequences>();
  /// Without the name of the run.
  static facts::Computed<Profile> compute(const analyze::RunSummary& summary,
                                          const facts::Facts& run);

  std::string run;  // as it is shown
  std::vector<std::string> dimensions;
  std::vector<NameTime> names;  // with labels in those that a name alone has: the first dimensions
  std::vector<OrderedTime> ordered;  // in the others
  std::vector<StepTime> steps;       // in order of start
  /// Not empty: `steps` are a sample. Numbers and sums of steps are these; medians and their
  /// intervals are those of the sample.
  std::vector<StepsTime> all_steps = {};
  /// Of a run without steps: analyze::BlockRepeat, without labels. The phase is what they are.
  std::vector<StepTime> repeats;
  std::vector<StepsTime> all_repeats = {};  // the same of `repeats`
  int64_t blocks = 0;                       // repeats of blocks that may be layers; 0: none
  /// Of a median step of each phase, and others: places in `names`.
  std::vector<analyze::Sequence> sequences;
  /// Nodes of module trees by path; the changes by name are theirs. Empty: they are of operations.
  std::vector<NameTime> nodes;
  Amount all;              // of all operations
  int64_t elapsed_ns = 0;  // the union of their intervals
  int64_t span_ns = 0;     // from the first start to the last end; of module trees 0
  /// Why times of it cannot be judged: the profiler lost some of its kernels. Empty: they can.
  std::string incomplete = {};
};

/// `names` are the kernels of module trees, by path; there are no `nodes`.
Profile profile_of(std::string run, const match::CompiledRules& rules,
                   const trees::LabelledModules& modules);
/// What the level shows of module trees, over all steps, by path.
std::vector<NameTime> nodes_of(const match::CompiledRules& rules,
                               const trees::LabelledModules& modules, trees::Level level);

/// A run lacks a dimension about some operations if it has none of these (classify::Labelled): in
/// it all are sema::none_label, as the other runs call the rest of theirs.
void share_dimensions(const sema::Program& program, std::vector<Profile>& a,
                      std::vector<Profile>& b);

}  // namespace kr::changes
