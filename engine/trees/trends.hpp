// Trends over steps: time that grows from step to step, as with the KV cache, and sums by phase.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trees/view.hpp"

namespace kr::trees {

/// The sums of an entry of a view in one phase.
struct PhaseEntry {
  uint32_t entry = 0;
  int64_t total_ns = 0;  // over the phase's steps
  int64_t first_ns = 0;  // in its first and last step
  int64_t last_ns = 0;
  double slope_ns = 0;  // per step: the line of least squares, by step number if all have one
};

struct PhaseSums {
  std::string phase;
  std::vector<size_t> steps;  // of the view, in order
  int64_t total_ns = 0;
  int64_t first_ns = 0;
  int64_t last_ns = 0;
  std::vector<PhaseEntry> entries;  // all of the view's, in its order

  int64_t mean_ns(int64_t total) const {
    return steps.empty() ? 0 : total / static_cast<int64_t>(steps.size());
  }
};

/// By phase, in the order in which they first occur.
std::vector<PhaseSums> sum_phases(const TreeView& view);

/// The entries whose time changes from the first step to the last: their places in `phase.entries`,
/// the largest change first.
std::vector<size_t> growing(const PhaseSums& phase);

}  // namespace kr::trees
