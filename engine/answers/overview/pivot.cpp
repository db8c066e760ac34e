#include "overview/pivot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/error.hpp"
#include "sema/program.hpp"

namespace kr::overview {
namespace {

void add(analyze::LabelSum& to, const analyze::LabelSum& sum) {
  to.elapsed_ns += sum.elapsed_ns;
  to.busy_ns += sum.busy_ns;
  to.total_ns += sum.total_ns;
  to.instances += sum.instances;
}

}  // namespace

int64_t time_of(const analyze::LabelSum& sum, Measure measure) {
  switch (measure) {
    case Measure::elapsed:
      return sum.elapsed_ns;
    case Measure::total:
      return sum.total_ns;
    case Measure::busy:
      break;
  }
  return sum.busy_ns;
}

int64_t time_of(const analyze::RunSummary& run, Measure measure) {
  return time_of({{}, run.gpu_elapsed_ns, run.gpu_total_ns, run.operations, run.gpu_busy_ns},
                 measure);
}

std::string_view to_string(Measure measure) noexcept {
  switch (measure) {
    case Measure::elapsed:
      return "elapsed";
    case Measure::total:
      return "total";
    case Measure::busy:
      break;
  }
  return "busy";
}

Measure measure_named(const std::string& name) {
  for (const Measure measure : {Measure::busy, Measure::elapsed, Measure::total}) {
    if (name == to_string(measure)) return measure;
  }
  throw Error("", fmt::format("`{}` is not a valid value for --measure", name),
              "choose from busy, elapsed, total");
}

analyze::LabelSum sum_over_runs(const PivotRow& row) {
  analyze::LabelSum all;
  for (const analyze::LabelSum& sum : row.runs) add(all, sum);
  return all;
}

std::vector<PivotRow> make_pivot(const std::vector<const analyze::RunSummary*>& runs,
                                 std::string_view dimension, Measure measure) {
  std::map<std::string_view, std::vector<analyze::LabelSum>> by_label;
  const auto cell = [&](std::string_view label, size_t run) -> analyze::LabelSum& {
    auto& sums = by_label[label];
    sums.resize(runs.size());
    return sums[run];
  };
  for (size_t i = 0; i < runs.size(); ++i) {
    const analyze::RunSummary& run = *runs[i];
    if (const auto at = run.dimension(dimension)) {
      for (const analyze::LabelSum& sum : run.dimensions[*at].labels) add(cell(sum.label, i), sum);
    } else if (run.operations > 0) {
      add(cell(sema::reserved::unclassified, i),
          {{}, run.gpu_elapsed_ns, run.gpu_total_ns, run.operations, run.gpu_busy_ns});
    }
  }
  std::vector<PivotRow> rows;
  rows.reserve(by_label.size());
  for (auto& [label, sums] : by_label) rows.push_back({std::string(label), std::move(sums)});
  std::sort(rows.begin(), rows.end(), [&](const PivotRow& a, const PivotRow& b) {
    const analyze::LabelSum of_a = sum_over_runs(a), of_b = sum_over_runs(b);
    const bool last_a = a.label == sema::reserved::unclassified,
               last_b = b.label == sema::reserved::unclassified;
    const int64_t time_a = time_of(of_a, measure), time_b = time_of(of_b, measure);
    return std::tie(last_a, time_b, of_b.total_ns, a.label) <
           std::tie(last_b, time_a, of_a.total_ns, b.label);
  });
  return rows;
}

std::vector<PivotRow> folded(std::vector<PivotRow> rows, size_t limit) {
  const bool unclassified = !rows.empty() && rows.back().label == sema::reserved::unclassified;
  const auto end = rows.end() - (unclassified ? 1 : 0);
  const auto labels = static_cast<size_t>(end - rows.begin());
  if (labels <= limit + 1) return rows;
  const auto first = rows.begin() + static_cast<std::ptrdiff_t>(limit);
  PivotRow others{fmt::format("{} ({} labels)", sema::reserved::others, labels - limit),
                  std::vector<analyze::LabelSum>(first->runs.size())};
  for (auto row = first; row != end; ++row) {
    for (size_t run = 0; run < others.runs.size(); ++run) add(others.runs[run], row->runs[run]);
  }
  *first = std::move(others);
  rows.erase(first + 1, end);
  return rows;
}

}  // namespace kr::overview
