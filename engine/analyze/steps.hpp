// Operations by phase and by step.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyze/sweep.hpp"
#include "classify/attribution.hpp"
#include "classify/classify.hpp"

namespace kr::analyze {

struct LabelPart {
  std::string label;
  int64_t instances = 0;
  int64_t total_ns = 0;
};
/// By dimension of the run; total falling.
using LabelParts = std::vector<std::pair<std::string, std::vector<LabelPart>>>;

/// The operations that one step launched, those of steps inside it among them.
struct StepPart {
  std::string phase;
  std::optional<int64_t> step;
  std::optional<int64_t> layer;
  std::optional<int64_t> batch;   // requests
  std::optional<int64_t> tokens;  // of all requests
  std::optional<size_t> outer;    // the step that it stands in: its place among the steps
  std::string text;               // the annotation
  int64_t instances = 0;
  int64_t total_ns = 0;
  Breakdown time;  // of its operations, on all devices together
  LabelParts labels;
};

/// All operations that steps of a phase launched. One may be of several phases: of a step and of
/// one inside it.
struct PhasePart {
  std::string phase;  // `(outside steps)` for what is in none
  /// Steps that do not stand in one of the same phase: a step spelled twice is one.
  int64_t steps = 0;
  /// Of all these together, each by its own annotation or else by the steps of the phase in it;
  /// none where one does not tell.
  std::optional<int64_t> batch;
  std::optional<int64_t> tokens;
  int64_t instances = 0;
  int64_t total_ns = 0;
  int64_t busy_ns = 0;  // of the union of its operations
  LabelParts labels;
};

struct StepSums {
  std::vector<StepPart> steps;  // in order of start on the host
  /// Operations that so many steps enclose that the outermost do not have them in their times.
  int64_t too_deep = 0;
  std::vector<PhasePart> phases;  // in the order first met; `(outside steps)` last
};

/// Both are empty where no steps are known.
StepSums sum_steps(const sema::Program& program, const trace::Trace& trace,
                   const classify::Labelled& labelled, const classify::Attribution& attribution);

}  // namespace kr::analyze
