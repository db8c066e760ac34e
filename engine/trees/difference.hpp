// Two runs held against each other, by label and by name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trees/view.hpp"

namespace kr::trees {

/// A side without the label or name has 0.
struct LabelDifference {
  std::string dimension;
  std::string label;
  int64_t a_ns = 0;
  int64_t b_ns = 0;
};

struct NameDifference {
  std::string name;
  int64_t a_ns = 0;
  int64_t b_ns = 0;
};

struct RunDifference {
  /// Whether the two did the same work, as far as can be told; `why` says what speaks against it,
  /// or how much of the time is under names that both have.
  bool comparable = true;
  std::string why;
  int64_t a_ns = 0;
  int64_t b_ns = 0;
  std::vector<LabelDifference> labels;  // by dimension, the largest change first
  std::vector<NameDifference> names;    // the largest change first

  bool same() const;
};

/// Sorts, and judges by the share of time under names of both where nothing has spoken against
/// comparing yet.
void finish(RunDifference& difference);

/// Module trees aligned by path: names are paths of what the level shows, or of what only one side
/// has. Labels are of kernels.
RunDifference compare_modules(const match::CompiledRules& rules, const LabelledModules& a,
                              const LabelledModules& b, Level level);

}  // namespace kr::trees
