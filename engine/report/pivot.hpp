// Labels by runs, as the table on a terminal shows them. The page makes its own from the same sums.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyze/summary.hpp"

namespace kr {

struct PivotRow {
  std::string label;
  std::vector<LabelSum> runs;  // a sum a run; zeros where the label does not occur
};

/// Rows by elapsed over all runs, falling; `unclassified` last. A run without the dimension is
/// unclassified as a whole. More than `limit` labels: the smallest become one row, `others`.
std::vector<PivotRow> make_pivot(const std::vector<const RunSummary*>& runs,
                                 std::string_view dimension, size_t limit);

}  // namespace kr
