// Labels by runs, as the table on a terminal and the page show them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyze/summary.hpp"

namespace kr::overview {

struct PivotRow {
  std::string label;
  std::vector<analyze::LabelSum> runs;  // a sum a run; zeros where the label does not occur
};

/// So many labels are shown one by one; a row `others` stands for the rest.
constexpr size_t most_labels = 30;

/// Rows by elapsed over all runs, falling; `unclassified` last. A run without the dimension is
/// unclassified as a whole.
std::vector<PivotRow> make_pivot(const std::vector<const analyze::RunSummary*>& runs,
                                 std::string_view dimension);
/// The first `limit` labels, and the rest as one row, `others`, before `unclassified`. It always
/// stands for at least two labels.
std::vector<PivotRow> folded(std::vector<PivotRow> rows, size_t limit);
analyze::LabelSum sum_over_runs(const PivotRow& row);

}  // namespace kr::overview
