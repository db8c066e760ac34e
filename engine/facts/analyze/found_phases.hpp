// Phases of a run, found from its operations: model load, prefill, decode, idle. No annotation is
// used; step_finder.hpp says how steps and layers are found, phase_rules.hpp what they are called.
//
// The span of each device is divided among the phases: each moment is in one. A phase begins with
// the first start of its operations and ends where the next begins; of this time, long gaps are
// `idle`. A gap is long if it lasts at least 1 ms, and twice the median time from step to step, or
// without repeated steps 1 % of the span of the device.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/run.hpp"
#include "analyze/steps.hpp"

namespace kr::analyze {

enum class FoundPhase : uint8_t { model_load, prefill, decode, idle, other };
inline constexpr size_t found_phase_count = 5;
/// `model_load`, `prefill`, …
std::string_view to_string(FoundPhase phase) noexcept;

/// How sure a phase is; docs/tables.md defines each per phase. `measured`: a time that is not
/// interpreted.
enum class Confidence : uint8_t { low, medium, high };
std::string_view to_string(Confidence confidence) noexcept;

struct FoundStep {
  int32_t device = 0;
  FoundPhase phase = FoundPhase::other;
  Confidence confidence = Confidence::low;
  int64_t start_ns = 0;
  int64_t span_ns = 0;   // from its first start to the last end of its operations
  int64_t total_ns = 0;  // of its operations
  /// Of all its stacks; nullopt: a graph that was traced as one operation.
  std::optional<int64_t> layers;
  int64_t stacks = 1;
  int64_t kernels = 0;
  /// Of one layer: the time of the stacks' kernels divided by the layers.
  std::optional<int64_t> layer_ns;
};

struct TimesOf {
  double mean_ns = 0;
  double median_ns = 0;
};

/// A phase on one device.
struct FoundPart {
  int32_t device = 0;
  FoundPhase phase = FoundPhase::other;
  int64_t stretches = 0;  // without a break
  int64_t steps = 0;
  std::optional<int64_t> tokens;  // per request; of decode, if each step makes one
  std::optional<int64_t> layers;  // of a step, if all have the same number
  int64_t instances = 0;
  int64_t total_ns = 0;
  int64_t busy_ns = 0;
  int64_t span_ns = 0;
  std::optional<TimesOf> step;
  std::optional<TimesOf> layer;
  std::optional<Confidence> confidence;  // nullopt: time that is not explained
  std::string evidence;
  LabelParts labels;
};

/// A phase that the annotations and the finder know, on all devices together.
struct PhaseAgreement {
  std::string phase;
  int64_t found_steps = 0;
  int64_t annotated_steps = 0;
  int64_t found_ns = 0;  // of operations
  int64_t annotated_ns = 0;
  int64_t both_ns = 0;
};

struct FoundPhases {
  static constexpr facts::Reads reads = facts::Reads::host;
  static facts::Computed<FoundPhases> compute(const facts::Input& run);

  std::vector<FoundPart> parts;           // by device, in the order of FoundPhase
  std::vector<FoundStep> steps;           // by device and start
  std::vector<PhaseAgreement> agreement;  // empty: no annotations, or nothing found
  /// Empty unless nothing was found: then there are no parts and steps, and this says why.
  std::string nothing;
};

/// The same where they are shown to those who did not request them: of runs without annotated
/// steps, from what else is read of them.
struct ShownPhases : FoundPhases {
  static constexpr facts::Reads reads = facts::Reads::nothing;
  /// Absent: phases are annotated.
  static facts::Computed<ShownPhases> compute(const facts::Input& run);
  std::optional<Warning> note(const facts::Input& run) const;

  /// More than 500,000 operations without a host trace: then nothing is looked for.
  bool too_many = false;
};

/// `annotations`: what to compare with; null: nothing is compared.
FoundPhases find_phases(const match::CompiledRules& rules, const LabelledTrace& run,
                        const classify::Attribution* annotations = nullptr);

}  // namespace kr::analyze
