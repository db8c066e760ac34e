// Which of many runs a terminal lists.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "overview/overview.hpp"

namespace kr::overview {

/// On a terminal, in columns; longer names are cut.
inline constexpr size_t longest_run_name = 28;

struct ShownRuns {
  std::vector<size_t> runs;  // places in Source::runs
  size_t left = 0;           // how many are not shown
  bool slowest = false;      // those shown are the slowest ranks, the slowest first

  /// `the slowest 20 of 1,000 ranks (--all shows all)`. Empty: all are shown.
  std::string left_text() const;
};

/// Up to 20 runs, unless `options` want all. Of ranks of one job those that need most time
/// themselves: the span of a device without its exposed communication.
ShownRuns shown_runs(const tables::Source& source, const TableOptions& options);

}  // namespace kr::overview
