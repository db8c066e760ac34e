// The time of operations by phase and by step.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/step_parts.hpp"
#include "analyze/step_sample.hpp"
#include "analyze/sweep.hpp"
#include "base/warning.hpp"
#include "classify/attribution.hpp"
#include "classify/classify.hpp"
#include "facts/fact.hpp"

namespace kr::analyze {

/// The wall times of the steps of a phase that have one.
struct WallTimes {
  double median_ns = 0;
  int64_t p95_ns = 0;  // the least that 95 % do not exceed
  int64_t max_ns = 0;
};

/// The steps of a phase that have a wall time, together.
struct WalledSteps {
  int64_t wall_ns = 0;  // the sum of their wall times
  /// Each with the time in which its own operations ran on any device. Where steps overlap, it may
  /// exceed `wall_ns`.
  int64_t busy_ns = 0;
  std::optional<int64_t> tokens = 0;  // nullopt: those of some step are not known

  /// Nullopt: they are not known, or there was no time.
  std::optional<double> tokens_per_s() const noexcept {
    if (!tokens || wall_ns <= 0) return std::nullopt;
    return static_cast<double>(*tokens) * 1e9 / static_cast<double>(wall_ns);
  }
};

/// Of these times; nothing of none.
std::optional<WallTimes> wall_times_of(std::vector<int64_t> times);

/// All operations that steps of a phase launched. An operation is in several phases if a step is
/// inside a step of another phase.
struct PhasePart {
  std::string phase;  // `(outside steps)` for operations in no step
  /// Steps that are not inside a step of the same phase: two annotations of one step count once.
  int64_t steps = 0;
  /// The sums over these steps, from the step's own annotation or else from the steps of the phase
  /// inside it; nullopt if the number of a step is unknown.
  std::optional<int64_t> batch;
  std::optional<int64_t> tokens;
  int64_t instances = 0;
  int64_t total_ns = 0;
  int64_t busy_ns = 0;  // of the union of its operations
  std::optional<WallTimes> wall;
  WalledSteps walled;
  LabelParts labels;
};

struct StepSums {
  static constexpr facts::Reads reads = facts::Reads::host;
  static facts::Computed<StepSums> compute(const facts::Input& run);
  void saved(facts::Fields& io, const RunSummary& run);
  std::optional<Warning> note(const facts::Input& run) const;

  StepParts steps;  // in order of start on the host
  /// Of a saved run with very many steps: instead of `steps`.
  std::optional<StepSample> sample = {};
  /// Operations in too many nested steps: the times of the outermost steps do not include them.
  int64_t too_deep = 0;
  std::vector<PhasePart> phases;  // in order of first occurrence; `(outside steps)` last
};

/// Both are empty if no steps are known.
StepSums sum_steps(const sema::Program& program, const trace::Trace& trace,
                   const classify::Labelled& labelled, const classify::Attribution& attribution);

/// Of the steps of each phase: PhasePart::wall and walled.
void add_wall_times(StepSums& sums);

/// Steps as a saved run keeps them, and what is to be said of them, if there are too many to keep
/// each of them.
std::optional<std::pair<StepSums, Warning>> with_sample(const StepSums& sums);

/// By step: how many steps with its phase and number come before it. The k-th of one rank is the
/// k-th of all.
std::vector<int64_t> occurrences_of(const StepParts& steps);

/// If more than 5 % of the run's time is outside all steps of a run that has steps, steps are not
/// the whole story: what to say then.
std::optional<Warning> outside_steps(const StepSums& sums, int64_t total_ns);

/// The label of the dimension `kind`, by row.
std::vector<Kind> kinds_by_row(const sema::Program& program, const classify::Labelled& labelled);

}  // namespace kr::analyze
