// Labels by run, as the terminal and the page show them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyze/summary.hpp"
#include "overview/overview.hpp"

namespace kr::overview {

struct PivotRow {
  std::string label;
  std::vector<analyze::LabelSum> runs;  // one sum per run; zeros if the label does not occur
};

/// Labels that are shown one by one; the rest is one row, `others`.
constexpr size_t max_labels = 30;

/// The time of a label by the measure.
int64_t time_of(const analyze::LabelSum& sum, Measure measure);
/// That of all labels of a dimension together.
int64_t time_of(const analyze::RunSummary& run, Measure measure);

/// Rows by their time over all runs, falling; `unclassified` last. All time of a run without the
/// dimension is unclassified.
std::vector<PivotRow> make_pivot(const std::vector<const analyze::RunSummary*>& runs,
                                 std::string_view dimension, Measure measure = Measure::busy);
/// The first `limit` labels, and the rest as one row, `others`, before `unclassified`. `others` is
/// always at least two labels.
std::vector<PivotRow> folded(std::vector<PivotRow> rows, size_t limit);
analyze::LabelSum sum_over_runs(const PivotRow& row);

}  // namespace kr::overview
