// The differences of two runs of operations.
#pragma once

#include "analyze/summary.hpp"
#include "trees/difference.hpp"

namespace kr::analyze {

/// By label and by name; times are elapsed.
trees::RunDifference compare_runs(const RunSummary& a, const RunSummary& b);

}  // namespace kr::analyze
