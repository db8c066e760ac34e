#include "changes/trend.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace kr::test::trend_test {
namespace {

using changes::Profile;
using changes::StepMeasure;
using changes::Trend;
using changes::TrendLine;

/// Steps that differ little within a run, as runs differ more from each other.
Profile run_of(uint64_t seed, size_t steps, double factor) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> of_step(1, 0.002), of_run(1, 0.02);
  factor *= of_run(random);
  Profile run;
  run.run = fmt::format("run {}", seed);
  run.dimensions = {"substage"};
  const std::vector<std::pair<std::string, double>> labels{{"gemm", 500e3}, {"norm", 40e3}};
  for (const auto& one : labels) run.names.push_back({one.first + "_k", {}, {one.first}, {}});
  for (size_t i = 0; i < steps; ++i) {
    changes::StepTime step{i % 4 == 3 ? "prefill" : "decode"};
    for (size_t j = 0; j < labels.size(); ++j) {
      const auto ns = std::llround(labels[j].second * factor * of_step(random));
      step.labels.push_back({0, labels[j].first, ns});
      step.total_ns += ns;
      run.names[j].amount += {1, ns};
      run.all += {1, ns};
    }
    if (i + 1 < steps) step.wall_ns = step.total_ns + 100'000;
    step.busy_ns = step.total_ns;
    run.steps.push_back(std::move(step));
  }
  return run;
}

std::vector<Profile> runs_of(uint64_t first, size_t count, size_t steps, double factor) {
  std::vector<Profile> runs;
  for (size_t i = 0; i < count; ++i) runs.push_back(run_of(first + i, steps, factor));
  return runs;
}

/// The middle of numbers, or that between the middle two: slow and obvious.
double middle(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  const size_t half = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[half] : (numbers[half - 1] + numbers[half]) / 2;
}

/// What a line has of one run, read from its steps.
std::optional<double> obvious(const Profile& run, const TrendLine& line, const std::string& phase) {
  std::vector<double> numbers;
  for (const changes::StepTime& step : run.steps) {
    if (step.phase != (line.scope == TrendLine::Scope::phase ? line.key : phase)) continue;
    if (line.scope == TrendLine::Scope::label) {
      double sum = 0;
      for (const changes::LabelTime& one : step.labels) {
        if (one.label == line.key) sum += static_cast<double>(one.total_ns);
      }
      numbers.push_back(sum);
    } else if (line.measure == StepMeasure::work) {
      numbers.push_back(static_cast<double>(step.total_ns));
    } else if (step.wall_ns) {
      const auto wall = static_cast<double>(*step.wall_ns);
      const auto busy = static_cast<double>(step.busy_ns);
      numbers.push_back(line.measure == StepMeasure::wall   ? wall
                        : line.measure == StepMeasure::busy ? busy
                                                            : wall - busy);
    }
  }
  if (numbers.empty()) return std::nullopt;
  return middle(numbers);
}

Trend trend_of_sides(const std::vector<Profile>& a, const std::vector<Profile>& b) {
  return changes::trend_of(a, b, changes::compare(a, b, "substage"));
}

const TrendLine& line_of(const Trend& trend, TrendLine::Scope scope, const char* key,
                         StepMeasure measure) {
  const auto found = std::find_if(trend.lines.begin(), trend.lines.end(), [&](const auto& one) {
    return one.scope == scope && one.key == key && one.measure == measure;
  });
  REQUIRE(found != trend.lines.end());
  return *found;
}

}  // namespace

TEST_CASE("a trend has the numbers whose medians are compared") {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    const std::vector<Profile> a = runs_of(100 * seed, 3 + seed % 5, 12, 1);
    const std::vector<Profile> b = runs_of(100 * seed + 50, 3 + seed % 3, 16, 1.3);
    const Trend trend = trend_of_sides(a, b);
    CHECK(trend.no_verdict.empty());
    CHECK(trend.runs_of_a() == a.size());
    // All work; two phases with four measures each; two labels.
    REQUIRE(trend.lines.size() == 1 + 2 * 4 + 2);
    for (const TrendLine& line : trend.lines) {
      CAPTURE(line.key);
      REQUIRE(line.points.size() == a.size() + b.size());
      std::vector<double> left, right;
      for (size_t i = 0; i < line.points.size(); ++i) {
        const bool in_b = i >= a.size();
        const auto expected = obvious(in_b ? b[i - a.size()] : a[i], line, "decode");
        REQUIRE(line.points[i].ns.has_value() == expected.has_value());
        // Medians between two steps are in whole ns.
        CHECK(std::abs(*line.points[i].ns - *expected) <= 0.5);
        (in_b ? right : left).push_back(*line.points[i].ns);
      }
      REQUIRE(line.change);
      CHECK(line.change->a_ns == middle(left));
      CHECK(line.change->change_ns == middle(right) - middle(left));
    }
    CHECK(line_of(trend, TrendLine::Scope::label, "gemm", StepMeasure::work).per ==
          "step of decode");
    CHECK(trend.verdict_of(line_of(trend, TrendLine::Scope::phase, "decode", StepMeasure::wall)) ==
          "slower");
  }
}

TEST_CASE("the steps of one new run are no sample of runs") {
  // They differ by a tenth of what runs differ by: taken for runs, half of all new runs would be
  // called different from those that are equal to them.
  const std::vector<Profile> a = runs_of(1, 4, 40, 1), b = runs_of(50, 1, 40, 1);
  const changes::Comparison comparison = changes::compare(a, b, "substage");
  CHECK_FALSE(comparison.total.median);
  for (const changes::LabelChange& one : comparison.labels) CHECK_FALSE(one.median);
  for (const changes::PhaseChange& one : comparison.phases) {
    CHECK_FALSE(one.wall->median);
    CHECK_FALSE(one.work.median);
    CHECK(one.wall->b_ns > 0);
  }
  CHECK(changes::judge(changes::parse_gate("work > -50%"), comparison.total.measured()) ==
        changes::Outcome::undecided);
  const Trend trend = changes::trend_of(a, b, comparison);
  CHECK(trend.no_verdict == "one new run is compared with five earlier ones or more, not with 4");
  for (const TrendLine& line : trend.lines) {
    CHECK(trend.verdict_of(line).empty());
    CHECK(line.points.back().ns);
  }
}

TEST_CASE("one new run is judged by what ten runs show, in every quantity") {
  size_t lines = 0, different = 0, slower = 0;
  constexpr uint64_t rounds = 100;
  for (uint64_t seed = 0; seed < rounds; ++seed) {
    const std::vector<Profile> a = runs_of(1000 * seed, 10, 12, 1);
    const Trend equal = trend_of_sides(a, runs_of(1000 * seed + 50, 1, 12, 1));
    REQUIRE(equal.no_verdict.empty());
    for (const TrendLine& line : equal.lines) {
      ++lines;
      if (!line.change->within_noise()) ++different;
    }
    const Trend changed = trend_of_sides(a, runs_of(1000 * seed + 50, 1, 12, 1.3));
    const TrendLine& wall = line_of(changed, TrendLine::Scope::phase, "decode", StepMeasure::wall);
    if (changed.verdict_of(wall) == "slower") ++slower;
  }
  // All quantities of a run have its factor in common: 5 % and four deviations of `rounds`.
  CHECK(100 * different < 14 * lines);
  CHECK(slower > 98);
}

TEST_CASE("two runs are compared by their steps, as before") {
  const std::vector<Profile> a = runs_of(1, 1, 40, 1), b = runs_of(1, 1, 40, 1.1);
  const Trend trend = trend_of_sides(a, b);
  CHECK(trend.no_verdict.empty());
  CHECK(trend.verdict_of(line_of(trend, TrendLine::Scope::label, "gemm", StepMeasure::work)) ==
        "more");
}

TEST_CASE("a run without steps of the phase has no number, and does not count as one") {
  std::vector<Profile> a = runs_of(1, 5, 20, 1);
  const std::vector<Profile> b = runs_of(50, 4, 20, 1);
  for (changes::StepTime& step : a[2].steps) step.phase = "prefill";
  const Trend trend = trend_of_sides(a, b);
  const TrendLine& gemm = line_of(trend, TrendLine::Scope::label, "gemm", StepMeasure::work);
  CHECK_FALSE(gemm.points[2].ns);
  CHECK(gemm.points[2].why_none == "the run has no step of decode");
  std::vector<double> others;
  for (const size_t i : {0U, 1U, 3U, 4U}) others.push_back(*gemm.points[i].ns);
  CHECK(gemm.change->a_ns == middle(others));
  const TrendLine& wall = line_of(trend, TrendLine::Scope::phase, "decode", StepMeasure::wall);
  CHECK_FALSE(wall.points[2].ns);
  CHECK(wall.points[2].why_none == "the run has no such step with a wall time");
}

TEST_CASE("a run without a dimension has no number of its labels") {
  std::vector<Profile> a = runs_of(1, 3, 20, 1);
  const std::vector<Profile> b = runs_of(50, 3, 20, 1);
  a[1].dimensions = {"stage"};
  const Trend trend = trend_of_sides(a, b);
  const auto gemm = std::find_if(trend.lines.begin(), trend.lines.end(), [](const auto& one) {
    return one.dimension == "substage" && one.key == "gemm";
  });
  REQUIRE(gemm != trend.lines.end());
  CHECK_FALSE(gemm->points[1].ns);
  CHECK(gemm->points[1].why_none == "the run does not have the dimension");
  CHECK(gemm->points[0].ns);
}

}  // namespace kr::test::trend_test
