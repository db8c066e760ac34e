// Trends over steps: time that grows from step to step, as with the KV cache, and sums by phase.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trees/view.hpp"

namespace kr::trees {

/// The sums of an entry of a view in one phase.
struct PhaseEntry {
  int64_t total_ns = 0;  // over the phase's steps
  int64_t first_ns = 0;  // in its first and last step
  int64_t last_ns = 0;
  double slope_ns = 0;  // per step: the line of least squares, by step numbers if all have one
};

struct PhaseSums {
  std::string phase;
  std::vector<size_t> steps;        // of the view, in order
  std::vector<PhaseEntry> entries;  // by the entries of the view
};

/// By phase, in the order in which they first occur.
std::vector<PhaseSums> sum_phases(const TreeView& view);

}  // namespace kr::trees
