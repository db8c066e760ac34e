#include "analyze/step_percentiles.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analyze/steps.hpp"

namespace kr::analyze {
namespace {

/// The times of something in some of the steps of a phase; in the others it has none.
class Times {
 public:
  void add(int64_t ns, size_t step) {
    if (values_.empty() || ns > max_ns_) {
      max_ns_ = ns;
      max_step_ = step;
    }
    values_.push_back(ns);
  }
  /// `steps`: of the phase.
  StepPercentiles::Row row(int64_t steps) {
    StepPercentiles::Row out;
    out.steps = steps;
    out.p50_ns = percentile(50, steps);
    out.p90_ns = percentile(90, steps);
    out.p99_ns = percentile(99, steps);
    out.max_ns = max_ns_;
    out.max_step = static_cast<int64_t>(max_step_);
    return out;
  }

 private:
  int64_t percentile(int64_t percent, int64_t steps) {
    const int64_t without = steps - static_cast<int64_t>(values_.size());
    const int64_t place = (steps * percent + 99) / 100 - 1 - without;
    if (place < 0) return 0;
    const auto at = values_.begin() + place;
    std::nth_element(values_.begin(), at, values_.end());
    return *at;
  }

  std::vector<int64_t> values_;
  int64_t max_ns_ = 0;
  size_t max_step_ = 0;
};

/// Of one phase.
struct Phase {
  std::vector<size_t> steps;
  std::vector<StepPercentiles::Row> rows;
};

void add_rows(const StepParts& steps, const std::string& name, Phase& phase) {
  const auto count = static_cast<int64_t>(phase.steps.size());
  const auto add = [&](Times& times, std::string dimension, std::string label) {
    StepPercentiles::Row& row = phase.rows.emplace_back(times.row(count));
    row.phase = name;
    row.dimension = std::move(dimension);
    row.label = std::move(label);
  };
  Times all;
  for (const size_t step : phase.steps) all.add(steps.total_ns(step), step);
  add(all, {}, {});
  for (size_t dimension = 0; dimension < steps.dimensions().size(); ++dimension) {
    std::map<std::string, Times> labels;
    for (const size_t step : phase.steps) {
      for (const LabelPart& one : steps.labels(step, dimension)) {
        labels[one.label].add(one.total_ns, step);
      }
    }
    const size_t first = phase.rows.size();
    for (auto& [label, times] : labels) add(times, steps.dimensions()[dimension], label);
    std::stable_sort(phase.rows.begin() + static_cast<std::ptrdiff_t>(first), phase.rows.end(),
                     [](const StepPercentiles::Row& a, const StepPercentiles::Row& b) {
                       return std::tie(a.p50_ns, a.max_ns) > std::tie(b.p50_ns, b.max_ns);
                     });
  }
}

}  // namespace

facts::Computed<StepPercentiles> StepPercentiles::compute(const RunSummary&,
                                                          const facts::Facts& run) {
  const StepSums& sums = run.get<StepSums>();
  if (sums.sample) {
    return facts::Computed<StepPercentiles>::absent(
        "a saved run has only a sample of its steps: name its trace");
  }
  const StepParts& steps = sums.steps;
  std::vector<std::pair<uint32_t, Phase>> phases;  // by number, in order of first occurrence
  for (size_t step = 0; step < steps.size(); ++step) {
    if (steps.instances(step) == 0 || steps.is_in_its_phase(step)) continue;
    const uint32_t number = steps.phase_number(step);
    auto at = std::find_if(phases.begin(), phases.end(),
                           [&](const auto& one) { return one.first == number; });
    if (at == phases.end()) at = phases.insert(at, {number, Phase()});
    at->second.steps.push_back(step);
  }
  StepPercentiles out;
  for (auto& [number, phase] : phases) {
    add_rows(steps, std::string(steps.phase(phase.steps.front())), phase);
    std::move(phase.rows.begin(), phase.rows.end(), std::back_inserter(out.rows));
  }
  return out;
}

}  // namespace kr::analyze
