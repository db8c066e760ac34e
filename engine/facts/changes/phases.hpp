// The steps of each phase on both sides of a comparison.
//
// A step is that of classify/step_order.hpp, and its wall time lasts to the start of the next one.
// Phases are compared one by one, each by its own steps: another mix of phases is not a change.
// Runs without steps are compared by the repeats of a block of kernels.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "changes/gate.hpp"
#include "changes/median_change.hpp"
#include "changes/profile.hpp"

namespace kr::changes {

/// A smaller difference is not reported: two runs of the same program differ by as much, and
/// one run per side does not show the noise.
inline constexpr double min_percent = 1;

enum class Verdict : uint8_t { within_noise, more, less };
Verdict verdict_of(const MedianChange& median) noexcept;

/// Medians over the steps of a phase, or over those of the runs where a side has several.
struct StepChange {
  double a_ns = 0;
  double b_ns = 0;
  std::optional<MedianChange> median;  // nothing: a side has fewer than three

  std::optional<double> percent() const noexcept;
  Measured measured() const;
};

/// The steps of one phase that both sides have.
struct PhaseChange {
  std::string phase;
  bool of_repeats = false;  // not of steps, and `phase` says of which block
  int64_t a_steps = 0;
  int64_t b_steps = 0;
  /// Nothing where steps have no wall times. Idle: the wall time in which no operation of the step
  /// runs.
  std::optional<StepChange> wall, idle, busy;
  StepChange work;  // the sum of the durations
};

struct PhaseTime {
  int64_t steps = 0;
  int64_t total_ns = 0;
};
/// Of the steps of these runs.
std::map<std::string, PhaseTime> times_of_phases(std::span<const Profile> runs);

/// Of the phases that both sides have, by falling work of both. Without any, of the repeats.
std::vector<PhaseChange> changes_of_phases(std::span<const Profile> a, std::span<const Profile> b);

}  // namespace kr::changes
