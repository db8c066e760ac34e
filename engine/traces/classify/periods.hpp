// Repetitions in a sequence of kernels: the layers of a model, if no modules show them, as with
// CUDA graphs.
//
// A stretch of period p is a run of places i with name[i] = name[i + p]; with the period after its
// last place it covers length + p names. The best period is the smallest whose longest stretch
// repeats at least three times and covers at least 98 % of the names that the longest stretch of
// any period covers. The names before and after it are searched in the same way, and so is one
// period of 60 names or more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kr::classify {

struct Repetition {
  size_t first = 0;    // the place of its first name
  size_t period = 0;   // names per repeat
  size_t repeats = 0;  // complete ones
  uint32_t level = 0;  // from 1: inside one period of the repetition before

  size_t covered() const noexcept { return period * repeats; }
  friend bool operator==(const Repetition&, const Repetition&) = default;
};

/// Shorter periods are loops of one operation, not layers.
inline constexpr size_t min_period = 4;
/// A repetition has at least this many names.
inline constexpr size_t min_covered = 32;

/// By place; those inside a period follow it. Exact and deterministic. The time is at most
/// proportional to the number of names times the longest period, and much less if little repeats.
std::vector<Repetition> find_repetitions(std::span<const uint32_t> names);

}  // namespace kr::classify
