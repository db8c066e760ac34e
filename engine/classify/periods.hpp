// Repeating stretches in a sequence of kernels: the layers of a model where no module says so, as
// under CUDA graphs.
//
// A stretch of period p is a run of places i with name[i] = name[i + p]; with the period after its
// last place it covers length + p names. The best period is the smallest whose longest stretch
// covers at least 98 % of what any period's does and repeats at least three times. What is left and
// right of it is searched the same way, and what is inside one period of 60 or more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kr::classify {

struct Repetition {
  size_t first = 0;    // place of the first name covered
  size_t period = 0;   // names a repeat
  size_t repeats = 0;  // whole ones; what follows of another is not covered
  uint32_t level = 0;  // 0; 1 and more: within one period of the one before

  size_t covered() const noexcept { return period * repeats; }
  friend bool operator==(const Repetition&, const Repetition&) = default;
};

struct PeriodOptions {
  size_t least_repeats = 3;
  size_t least_period = 4;    // shorter ones are loops of one operation, not layers
  size_t look_inside = 60;    // periods from here on are searched themselves
  size_t most_period = 4096;  // longer ones are steps, not layers
  size_t least_covered = 32;  // of a stretch worth telling, in names
};

/// By place; those inside a period follow it. Exact and the same for the same names. Time at
/// most in the order of the number of names times the longest period looked for; where little
/// repeats, much less.
std::vector<Repetition> find_repetitions(std::span<const uint32_t> names,
                                         const PeriodOptions& options = {});

}  // namespace kr::classify
