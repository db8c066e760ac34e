// The differences of two runs, by label and by name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/summary.hpp"
#include "trees/view.hpp"

namespace kr::analyze {

/// Of a label of a dimension, or of a name; a side without it has 0.
struct Difference {
  std::string dimension;  // empty: of a name
  std::string name;
  int64_t a_ns = 0;
  int64_t b_ns = 0;
};

struct RunDifference {
  /// Whether the runs seem to have done the same work. `why` is the reason if not, else the share
  /// of the time under names that both have.
  bool comparable = true;
  std::string why;
  int64_t a_ns = 0;
  int64_t b_ns = 0;
  std::vector<Difference> labels;  // by dimension, the largest change first
  std::vector<Difference> names;   // the largest change first

  bool same() const;
};

/// Runs of operations; times are elapsed.
RunDifference compare_runs(const RunSummary& a, const RunSummary& b);

/// Module trees by path: names are the paths of the nodes that the level shows. Labels are those of
/// kernels.
RunDifference compare_modules(const match::CompiledRules& rules, const trees::LabelledModules& a,
                              const trees::LabelledModules& b, trees::Level level);

}  // namespace kr::analyze
