// One new run against several earlier ones.
#include "changes/new_run.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "changes/compare.hpp"
#include "changes/trend.hpp"
#include "support/rounds.hpp"

namespace kr::test::new_run_test {
namespace {

using changes::Profile;

using Noise = std::function<double(std::mt19937_64&)>;

Noise normal(double width) {
  return [width](std::mt19937_64& random) {
    return 1 + std::normal_distribution<double>(0, width)(random);
  };
}
Noise by_factors(double width) {
  return [width](std::mt19937_64& random) {
    return std::exp(std::normal_distribution<double>(0, width)(random));
  };
}

/// Which part of new runs that are equal to the earlier ones, but for `factor`, is called
/// different.
double share_outside(size_t earlier, const Noise& noise, double factor, size_t rounds) {
  std::mt19937_64 random(earlier);
  size_t outside = 0;
  for (size_t i = 0; i < rounds; ++i) {
    std::vector<int64_t> values(earlier);
    for (int64_t& value : values) value = std::llround(1e6 * noise(random));
    const auto change = changes::new_run_change(values, std::llround(1e6 * factor * noise(random)));
    if (!change->within_noise()) ++outside;
  }
  return static_cast<double>(outside) / static_cast<double>(rounds);
}

/// A run of ten labels, each with noise of its own. It has the operations of any other.
Profile run_of(std::mt19937_64& random, double of_last_label = 1) {
  Profile run;
  run.dimensions = {"substage"};
  for (int label = 0; label < 10; ++label) {
    const double factor = normal(0.03)(random) * (label == 9 ? of_last_label : 1);
    const changes::Amount time{100, std::llround(1e6 * (label + 1) * factor)};
    const std::string name = fmt::format("label{}", label);
    run.names.push_back({name + "_kernel", {}, {name}, time});
    run.all += time;
  }
  run.span_ns = run.elapsed_ns = run.all.total_ns;
  return run;
}

std::vector<Profile> runs_of(std::mt19937_64& random, size_t count) {
  std::vector<Profile> runs;
  for (size_t i = 0; i < count; ++i) runs.push_back(run_of(random));
  return runs;
}

bool differs(const changes::LabelChange& change) {
  return changes::verdict_of(*change.median) != changes::Verdict::within_noise;
}

}  // namespace

TEST_CASE("quantiles of Student's t are those of tables") {
  const std::vector<std::pair<size_t, double>> published{{4, 2.776},  {5, 2.571},  {9, 2.262},
                                                         {14, 2.145}, {29, 2.045}, {120, 1.980}};
  for (const auto& one : published) {
    CAPTURE(one.first);
    CHECK(std::abs(changes::student_t975(one.first) - one.second) < 0.0012);
  }
}

TEST_CASE("the interval is that of the formula, on logarithms") {
  // Logarithms 0, 0.1, …, 0.4 above those of 1e6: the mean is 0.2, their variance 0.025.
  std::vector<int64_t> earlier;
  for (int i = 0; i < 5; ++i) earlier.push_back(std::llround(1e6 * std::exp(0.1 * i)));
  const double reach = 2.776 * std::sqrt(0.025 * 1.2);
  const auto change = *changes::new_run_change(earlier, 2'000'000);
  CHECK(change.a_ns == earlier[2]);
  CHECK(change.change_ns == 2'000'000 - change.a_ns);
  const double least = 1e6 * std::exp(0.2 - reach), most = 1e6 * std::exp(0.2 + reach);
  CHECK(2e6 - change.high_ns == doctest::Approx(least).epsilon(0.001));
  CHECK(2e6 - change.low_ns == doctest::Approx(most).epsilon(0.001));
  CHECK(2e6 / (1 + change.percent->first / 100) == doctest::Approx(most).epsilon(0.001));
  CHECK(2e6 / (1 + change.percent->second / 100) == doctest::Approx(least).epsilon(0.001));
  CHECK(change.within_noise() == (2e6 < most));
  CHECK_FALSE(changes::new_run_change({1, 2, 3, 4}, 2));
}

TEST_CASE("values that are 0, or all equal") {
  const auto some = *changes::new_run_change({0, 0, 10, 0, 10}, 11);
  CHECK(some.within_noise());
  CHECK_FALSE(some.percent);
  CHECK_FALSE(changes::new_run_change({0, 0, 0, 0, 0}, 11)->within_noise());
  CHECK(changes::new_run_change({7, 7, 7, 7, 7}, 7)->within_noise());
  CHECK_FALSE(changes::new_run_change({7, 7, 7, 7, 7}, 8)->within_noise());
}

TEST_CASE("one of twenty equal runs is called different, whatever their number and noise") {
  // Four standard deviations of the share in so many rounds.
  // With the quantile of the normal distribution in place of Student's, too many of five earlier
  // runs are different in 400 rounds.
  const size_t rounds = test::rounds(4000, 400);
  const double off = 4 * std::sqrt(0.05 * 0.95 / static_cast<double>(rounds));
  for (const size_t earlier : {5U, 6U, 10U, 30U}) {
    CAPTURE(earlier);
    for (const Noise& noise : {normal(0.005), normal(0.03), by_factors(0.3)}) {
      CHECK(std::abs(share_outside(earlier, noise, 1, rounds) - 0.05) < off);
    }
    // A change of ten times the noise is found.
    CHECK(share_outside(earlier, normal(0.01), 1.1, rounds) > 0.99);
    CHECK(share_outside(earlier, normal(0.01), 0.9, rounds) > 0.99);
  }
}

TEST_CASE(
    "of all labels of equal runs one in twenty is called different, and a changed one nearly "
    "always") {
  std::mt19937_64 random(7);
  // Without the 1/n of the formula, and with the quantile of the normal distribution: 30 rounds.
  const size_t rounds = test::rounds(300, 30);
  size_t labels = 0, different = 0, changed = 0;
  for (size_t i = 0; i < rounds; ++i) {
    const std::vector<Profile> earlier = runs_of(random, 10);
    const std::vector<Profile> equal{run_of(random)}, slower{run_of(random, 1.5)};
    const changes::Comparison of_equal = changes::compare(earlier, equal, "substage");
    REQUIRE(of_equal.earlier_runs == 10);
    for (const changes::LabelChange& one : of_equal.labels) {
      ++labels;
      if (differs(one)) ++different;
    }
    const changes::Comparison of_slower = changes::compare(earlier, slower, "substage");
    const auto last = std::ranges::find(of_slower.labels, "label9", &changes::LabelChange::label);
    if (differs(*last) && last->median->change_ns > 0) ++changed;
  }
  const auto all = static_cast<double>(labels);
  CHECK(static_cast<double>(different) / all < 0.05 + 4 * std::sqrt(0.05 * 0.95 / all));
  CHECK(static_cast<double>(different) / all > 0.03);
  CHECK(changed > rounds * 98 / 100);
}

TEST_CASE("a condition is decided for one new run, if the earlier runs are five or more") {
  std::mt19937_64 random(3);
  const std::vector<Profile> earlier = runs_of(random, 5);
  const std::vector<Profile> slower{run_of(random, 1.5)};
  const changes::Gate gate = changes::parse_gate("substage/label9 > +5%");
  const auto outcome = [&](std::span<const Profile> a) {
    const changes::Comparison comparison = changes::compare(a, slower, "substage");
    const auto last = std::ranges::find(comparison.labels, "label9", &changes::LabelChange::label);
    return std::pair(changes::judge(gate, last->measured()),
                     changes::trend_of(a, slower, comparison).no_verdict);
  };
  CHECK(outcome(earlier) == std::pair(changes::Outcome::failed, std::string()));
  CHECK(
      outcome(std::span(earlier).first(4)) ==
      std::pair(changes::Outcome::undecided,
                std::string("one new run is compared with five earlier ones or more, not with 4")));
}

}  // namespace kr::test::new_run_test
