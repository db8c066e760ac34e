// What saved runs keep of very many steps: sums are those of all steps, and the sample is some of
// them as they are.
#include "analyze/step_sample.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <set>
#include <string>

#include "support/rounds.hpp"

namespace {

using kr::analyze::LabelPart;
using kr::analyze::StepPart;
using kr::analyze::StepParts;

using LabelTimes = std::map<std::pair<std::string, std::string>, int64_t>;

LabelTimes times_of(const kr::analyze::LabelParts& parts) {
  LabelTimes times;
  for (const auto& [dimension, labels] : parts) {
    for (const LabelPart& label : labels) times[{dimension, label.label}] += label.total_ns;
  }
  return times;
}

StepParts random_steps(std::mt19937& random) {
  const auto below = [&](int64_t limit) { return static_cast<int64_t>(random() % limit); };
  StepParts steps;
  steps.add_dimension("substage");
  steps.add_dimension("kind");
  const std::vector<std::string> phases{"decode", "prefill", "mixed"};
  for (int64_t left = below(200); left > 0; --left) {
    StepPart step;
    step.phase = phases[static_cast<size_t>(below(3))];
    if (!steps.empty() && below(4) == 0) {
      step.outer = static_cast<size_t>(below(static_cast<int64_t>(steps.size())));
    }
    step.instances = below(4);
    step.total_ns = below(1000);
    if (below(5) != 0) step.wall_ns = below(1000);
    step.time.operations = step.instances;
    step.time.compute_ns = step.time.busy_ns = step.time.span_ns = below(500);
    const kr::analyze::StepDevice device{step.time, static_cast<int32_t>(below(2)), below(99)};
    steps.add(step, std::span(&device, step.instances > 0 ? 1 : 0));
    for (size_t dimension = 0; dimension < 2; ++dimension) {
      for (int64_t labels = below(4); labels > 0; --labels) {
        steps.add_label(dimension, {std::string(1, static_cast<char>('a' + labels)), 1, below(99)});
      }
    }
  }
  return steps;
}

}  // namespace

TEST_CASE("a sample of steps has the sums of all steps, and steps as they are") {
  std::mt19937 random(7);
  // Found in the first rounds: sums without the last step of a phase.
  for (uint64_t round = 0; round < kr::test::rounds(300, 3); ++round) {
    const StepParts steps = random_steps(random);
    const size_t max_rows = 1 + random() % 300;
    const kr::analyze::StepSample sample = kr::analyze::sample_of(steps, max_rows);

    std::map<std::string, std::pair<int64_t, int64_t>> sums;  // by phase: steps and time
    std::map<std::string, LabelTimes> labels;
    size_t rows = 0;
    for (size_t i = 0; i < steps.size(); ++i) {
      rows += 1 + steps.devices(i).size() + steps.labels(i, 0).size() + steps.labels(i, 1).size();
      const StepPart step = steps[i];
      if (step.outer || step.instances == 0) continue;
      auto& [count, total_ns] = sums[std::string(step.phase)];
      ++count;
      total_ns += step.total_ns;
      for (const auto& [label, ns] : times_of(steps.labels(i))) {
        labels[std::string(step.phase)][label] += ns;
      }
    }
    CHECK(kr::analyze::has_too_many_rows(steps, max_rows) == (rows > max_rows));
    REQUIRE(sample.sums.size() == sums.size());
    for (const auto& sum : sample.sums) {
      CHECK(std::pair(sum.steps, sum.total_ns) == sums[sum.phase]);
      CHECK(times_of(sum.labels) == labels[sum.phase]);
    }

    std::map<std::string, int64_t> chosen;  // by phase
    size_t sample_rows = 0;
    int64_t last = -1;
    for (const auto& one : sample.steps) {
      REQUIRE(one.id > last);
      last = one.id;
      const auto at = static_cast<size_t>(one.id);
      const StepPart step = steps[at];
      CHECK(!step.outer);
      CHECK(step.instances > 0);
      CHECK(one.phase == step.phase);
      CHECK(one.total_ns == step.total_ns);
      CHECK(one.wall_ns == step.wall_ns);
      CHECK(one.busy_ns == step.time.busy_ns);
      CHECK(times_of(one.labels) == times_of(steps.labels(at)));
      ++chosen[one.phase];
      sample_rows += 1 + steps.devices(at).size() + steps.label_count(at);
    }
    CHECK(chosen.size() == sums.size());
    // At least one step of each phase.
    CHECK(sample_rows <= max_rows + sums.size() * 8);
    if (rows * 3 <= max_rows) {
      for (const auto& [phase, count] : chosen) CHECK(count == sums[phase].first);
    }
  }
}
