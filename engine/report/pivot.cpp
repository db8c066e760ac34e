#include "report/pivot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "sema/program.hpp"

namespace kr {
namespace {

void add(LabelSum& to, const LabelSum& sum) {
  to.elapsed_ns += sum.elapsed_ns;
  to.total_ns += sum.total_ns;
  to.instances += sum.instances;
}

LabelSum all_of(const PivotRow& row) {
  LabelSum all;
  for (const LabelSum& sum : row.runs) add(all, sum);
  return all;
}

/// The last rows as one.
void fold_tail(std::vector<PivotRow>& rows, size_t keep) {
  PivotRow others{fmt::format("{} ({} labels)", reserved::others, rows.size() - keep),
                  std::vector<LabelSum>(rows.front().runs.size())};
  for (size_t i = keep; i < rows.size(); ++i) {
    for (size_t run = 0; run < others.runs.size(); ++run) {
      add(others.runs[run], rows[i].runs[run]);
    }
  }
  rows.resize(keep);
  rows.push_back(std::move(others));
}

}  // namespace

std::vector<PivotRow> make_pivot(const std::vector<const RunSummary*>& runs,
                                 std::string_view dimension, size_t limit) {
  std::map<std::string_view, std::vector<LabelSum>> by_label;
  const auto cell = [&](std::string_view label, size_t run) -> LabelSum& {
    auto& sums = by_label[label];
    sums.resize(runs.size());
    return sums[run];
  };
  for (size_t i = 0; i < runs.size(); ++i) {
    const RunSummary& run = *runs[i];
    if (const auto at = run.dimension(dimension)) {
      for (const LabelSum& sum : run.dimensions[*at].labels) add(cell(sum.label, i), sum);
    } else if (run.operations > 0) {
      add(cell(reserved::unclassified, i),
          {{}, run.gpu_elapsed_ns, run.gpu_total_ns, run.operations});
    }
  }
  std::vector<PivotRow> rows;
  rows.reserve(by_label.size());
  for (auto& [label, sums] : by_label) rows.push_back({std::string(label), std::move(sums)});
  std::sort(rows.begin(), rows.end(), [](const PivotRow& a, const PivotRow& b) {
    const LabelSum of_a = all_of(a), of_b = all_of(b);
    const bool last_a = a.label == reserved::unclassified,
               last_b = b.label == reserved::unclassified;
    return std::tie(last_a, of_b.elapsed_ns, of_b.total_ns, a.label) <
           std::tie(last_b, of_a.elapsed_ns, of_a.total_ns, b.label);
  });
  if (rows.size() > limit + 1) {
    const bool unclassified = rows.back().label == reserved::unclassified;
    PivotRow last;
    if (unclassified) {
      last = std::move(rows.back());
      rows.pop_back();
    }
    if (rows.size() > limit) fold_tail(rows, limit);
    if (unclassified) rows.push_back(std::move(last));
  }
  return rows;
}

}  // namespace kr
