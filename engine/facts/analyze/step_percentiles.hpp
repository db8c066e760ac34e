// How the time of steps, and of labels in them, is distributed over the steps of a phase. Exact:
// the p-th percentile is the least value that p % of the steps do not exceed.
//
// Counted are the steps of a phase that are not inside another step of it, and launched operations.
// A label that such a step does not have takes no time in it: it counts with 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "facts/fact.hpp"

namespace kr::analyze {

struct StepPercentiles {
  static constexpr facts::Set uses = facts::Set::of<StepSums>();
  /// Absent: of a saved run there is only a sample of its steps.
  static facts::Computed<StepPercentiles> compute(const RunSummary&, const facts::Facts& run);

  struct Row {
    std::string phase;
    std::string dimension;  // of a label; empty: all operations of a step
    std::string label;
    int64_t steps = 0;
    int64_t p50_ns = 0;
    int64_t p90_ns = 0;
    int64_t p99_ns = 0;
    int64_t max_ns = 0;
    int64_t max_step = 0;  // the first with that: its place among the steps of the run
  };
  /// By phase in the order of first occurrence; first of all operations, then by dimension, and
  /// by descending p50, descending max, label.
  std::vector<Row> rows;
};

}  // namespace kr::analyze
