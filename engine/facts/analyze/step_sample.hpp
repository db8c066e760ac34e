// What a saved run keeps of a run with very many steps: exact sums over the steps of each phase,
// and some of the steps. A sample never stands for all steps: what needs each of them is absent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyze/step_parts.hpp"

namespace kr::analyze {

struct StepSample {
  /// A step that is inside no other one, and launched operations.
  struct Step {
    int64_t id = 0;  // its place among all steps of the run
    std::string phase;
    int64_t total_ns = 0;
    std::optional<int64_t> wall_ns;
    int64_t busy_ns = 0;
    LabelParts labels = {};
  };
  /// Of all such steps of a phase.
  struct PhaseSum {
    std::string phase;
    int64_t steps = 0;
    int64_t total_ns = 0;
    LabelParts labels = {};
  };
  std::vector<Step> steps;  // by id
  std::vector<PhaseSum> sums;

  int64_t all_steps() const noexcept;
};

/// A random place of each of `count` stretches of about the same length, of `size` places: by a
/// fixed series of random numbers.
std::vector<size_t> spread_places(size_t size, size_t count);

/// The steps of a run are saved one by one if they have at most as many rows: one a step, one for
/// each of its labels, and one for each of its devices.
inline constexpr size_t max_saved_step_rows = 5'000;
/// Rows of a sample, at most, unless single steps have very many.
inline constexpr size_t max_sample_rows = 3'000;

bool has_too_many_rows(const StepParts& steps, size_t max_rows = max_saved_step_rows);
/// Of each phase one step, chosen by a fixed series of random numbers, of each of as many stretches
/// of steps as fit: so neither its time in the run nor a pattern in the steps decides.
StepSample sample_of(const StepParts& steps, size_t max_rows = max_sample_rows);

}  // namespace kr::analyze
