// Percentiles of steps are compared with sorted lists of all times, those of 0 too.
#include "analyze/step_percentiles.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "analyze/steps.hpp"
#include "support/rounds.hpp"

namespace {

using kr::analyze::LabelPart;
using kr::analyze::StepParts;
using kr::analyze::StepPercentiles;

StepParts random_step_times(std::mt19937& random) {
  const auto below = [&](int64_t limit) { return static_cast<int64_t>(random() % limit); };
  StepParts steps;
  steps.add_dimension("substage");
  steps.add_dimension("kind");
  for (int64_t left = below(250); left > 0; --left) {
    kr::analyze::StepPart step;
    step.phase = below(3) == 0 ? "prefill" : "decode";
    if (!steps.empty() && below(4) == 0) {
      step.outer = static_cast<size_t>(below(static_cast<int64_t>(steps.size())));
    }
    step.instances = below(4);
    step.total_ns = step.instances == 0 ? 0 : below(50);
    steps.add(step);
    for (size_t dimension = 0; dimension < 2; ++dimension) {
      for (const char* label : {"a", "b", "c"}) {
        if (step.instances > 0 && below(3) != 0) {
          steps.add_label(dimension, {label, 1, below(40)});
        }
      }
    }
  }
  return steps;
}

/// By phase, dimension, label: the time in each step that counts, in order.
using Key = std::tuple<std::string, std::string, std::string>;
using Values = std::map<Key, std::vector<std::pair<int64_t, size_t>>>;

bool is_inside_its_phase(const StepParts& steps, size_t step) {
  for (auto outer = steps[step].outer; outer; outer = steps[*outer].outer) {
    if (steps[*outer].phase == steps[step].phase) return true;
  }
  return false;
}

Values values_of(const StepParts& steps) {
  std::map<Key, std::map<size_t, int64_t>> times;
  std::map<std::string, std::vector<size_t>> phases;
  for (size_t step = 0; step < steps.size(); ++step) {
    if (steps[step].instances == 0 || is_inside_its_phase(steps, step)) continue;
    const std::string phase(steps[step].phase);
    phases[phase].push_back(step);
    times[{phase, "", ""}][step] = steps[step].total_ns;
    for (const auto& [dimension, labels] : steps.labels(step)) {
      for (const LabelPart& one : labels) times[{phase, dimension, one.label}][step] = one.total_ns;
    }
  }
  Values out;
  for (const auto& [key, by_step] : times) {
    for (const size_t step : phases[std::get<0>(key)]) {
      const auto at = by_step.find(step);
      out[key].emplace_back(at == by_step.end() ? 0 : at->second, step);
    }
  }
  return out;
}

/// The least value that so many percent of all do not exceed.
int64_t obvious_percentile(const std::vector<std::pair<int64_t, size_t>>& values, size_t percent) {
  std::vector<int64_t> sorted;
  for (const auto& [ns, step] : values) sorted.push_back(ns);
  std::sort(sorted.begin(), sorted.end());
  for (const int64_t ns : sorted) {
    const auto not_above = static_cast<size_t>(
        std::count_if(sorted.begin(), sorted.end(), [&](int64_t one) { return one <= ns; }));
    if (not_above * 100 >= percent * sorted.size()) return ns;
  }
  return -1;
}

}  // namespace

TEST_CASE("percentiles of steps are those of a sorted list with the steps without a label") {
  std::mt19937 random(11);
  // Found in the first rounds: steps without the label are left out.
  for (uint64_t round = 0; round < kr::test::rounds(300, 3); ++round) {
    CAPTURE(round);
    kr::analyze::StepSums sums;
    sums.steps = random_step_times(random);
    const Values expected = values_of(sums.steps);
    kr::facts::Facts facts;
    facts.set(kr::facts::Computed(std::move(sums)));
    auto computed = StepPercentiles::compute({}, facts);
    REQUIRE(computed.fact());
    CHECK(computed.fact()->rows.size() == expected.size());
    for (const StepPercentiles::Row& row : computed.fact()->rows) {
      CAPTURE(row.phase + ' ' + row.dimension + ' ' + row.label);
      const auto at = expected.find({row.phase, row.dimension, row.label});
      REQUIRE(at != expected.end());
      const auto& values = at->second;
      CHECK(row.steps == static_cast<int64_t>(values.size()));
      CHECK(row.p50_ns == obvious_percentile(values, 50));
      CHECK(row.p90_ns == obvious_percentile(values, 90));
      CHECK(row.p99_ns == obvious_percentile(values, 99));
      const auto longest =
          std::max_element(values.begin(), values.end(),
                           [](const auto& a, const auto& b) { return a.first < b.first; });
      CHECK(row.max_ns == longest->first);
      // Of times of 0, any step without the label would do.
      if (row.max_ns > 0) CHECK(row.max_step == static_cast<int64_t>(longest->second));
    }
  }
}

TEST_CASE("of a sample of steps there are no percentiles") {
  kr::analyze::StepSums sums;
  sums.sample.emplace();
  kr::facts::Facts facts;
  facts.set(kr::facts::Computed(std::move(sums)));
  auto computed = StepPercentiles::compute({}, facts);
  CHECK(!computed.fact());
  CHECK(computed.why().find("sample") != std::string::npos);
}
