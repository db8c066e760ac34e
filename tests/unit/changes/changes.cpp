#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <random>

#include "base/error.hpp"
#include "changes/compare.hpp"
#include "changes/gate.hpp"
#include "support/rounds.hpp"

using namespace kr;

namespace {

changes::Pair pair(int64_t a_calls, int64_t a_ns, int64_t b_calls, int64_t b_ns) {
  return {{a_calls, a_ns}, {b_calls, b_ns}};
}

std::string parts(const std::vector<changes::Pair>& names) {
  const changes::Parts parts = changes::parts_of(names);
  int64_t change = 0;
  for (const changes::Pair& name : names) change += name.change_ns();
  CHECK(parts.calls_ns + parts.names_ns + parts.time_per_call_ns == change);
  return fmt::format("{} {} {}", parts.calls_ns, parts.names_ns, parts.time_per_call_ns);
}

/// Steps of one phase with labels of one dimension, each with noise, and now and then a slow step.
changes::Profile noisy_run(uint64_t seed, int64_t steps, double gemm_factor) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(1, 0.02);
  changes::Profile run;
  run.run = fmt::format("run {}", seed);
  run.dimensions = {"substage"};
  const std::vector<std::pair<std::string, double>> labels = {
      {"attention", 300e3}, {"gemm", 500e3 * gemm_factor}, {"norm", 40e3}};
  for (const auto& [label, ns] : labels) run.names.push_back({label + "_kernel", {}, {label}, {}});
  for (int64_t i = 0; i < steps; ++i) {
    changes::StepTime step{"decode"};
    const double slow = random() % 20 == 0 ? 1.5 : 1;
    for (size_t j = 0; j < labels.size(); ++j) {
      const auto ns = std::llround(labels[j].second * slow * noise(random));
      step.labels.push_back({0, labels[j].first, ns});
      step.total_ns += ns;
      run.names[j].amount += {10, ns};
      run.all += {10, ns};
    }
    // The host needs 100 us more.
    step.wall_ns = step.total_ns + 100'000;
    step.busy_ns = step.total_ns;
    run.span_ns += *step.wall_ns;
    run.steps.push_back(std::move(step));
  }
  return run;
}

const changes::LabelChange& label_of(const changes::Comparison& comparison, const char* label) {
  for (const changes::LabelChange& one : comparison.labels) {
    if (one.label == label) return one;
  }
  throw InternalError("no such label", __FILE__, __LINE__);
}

changes::Outcome judged(const char* gate, const changes::LabelChange& change) {
  return changes::judge(changes::parse_gate(gate), change.measured());
}

const changes::PhaseChange* phase_of(const changes::Comparison& comparison,
                                     std::string_view phase) {
  for (const changes::PhaseChange& one : comparison.phases) {
    if (one.phase == phase) return &one;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("a change is calls, names of one run, and time per call") {
  CHECK(parts({pair(10, 1000, 12, 1200)}) == "200 0 0");
  CHECK(parts({pair(10, 1000, 10, 1300)}) == "0 0 300");
  CHECK(parts({pair(68, 272317378, 60, 240755667)}) == "-32037339 0 475628");
  // The same calls in other numbers.
  CHECK(parts({pair(10, 1000, 5, 500), pair(10, 3000, 15, 4500)}) == "1000 0 0");
  // One name replaces another.
  CHECK(parts({pair(10, 1000, 0, 0), pair(0, 0, 10, 700)}) == "0 -300 0");
  CHECK(parts({pair(0, 0, 10, 700)}) == "0 700 0");
  CHECK(parts({pair(10, 700, 0, 0)}) == "0 -700 0");
  // One more kernel of 100 ns, and one that is 300 ns faster.
  CHECK(parts({pair(50, 9000, 50, 8700), pair(0, 0, 1, 100)}) == "0 100 -300");
  CHECK(parts({}) == "0 0 0");
}

TEST_CASE("parts add up for any numbers") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::vector<changes::Pair> names(random() % 6);
    for (changes::Pair& name : names) {
      for (changes::Amount* side : {&name.a, &name.b}) {
        side->instances =
            static_cast<int64_t>(random() % 4) * static_cast<int64_t>(random() % 1000);
        if (side->instances != 0)
          side->total_ns = static_cast<int64_t>(random() >> (random() % 60 + 4));
      }
    }
    parts(names);
  }
}

TEST_CASE("a planted change of 5 % fails a gate of 2 %, and no change does not") {
  uint64_t found = 0, false_alarms = 0, called_changed = 0;
  // A gate takes a change for its opposite: found in round 6.
  const uint64_t rounds = kr::test::rounds(100, 6);
  for (uint64_t seed = 0; seed < rounds; ++seed) {
    CAPTURE(seed);
    const std::vector<changes::Profile> a{noisy_run(3 * seed + 1, 40, 1)};
    const std::vector<changes::Profile> b{noisy_run(3 * seed + 2, 36, 1.05)};
    const std::vector<changes::Profile> same{noisy_run(3 * seed + 3, 44, 1)};
    const auto gemm = changes::compare(a, b, "substage");
    const auto none = changes::compare(a, same, "substage");
    found += judged("substage/gemm > +2%", label_of(gemm, "gemm")) == changes::Outcome::failed;
    false_alarms +=
        judged("substage/gemm > +2%", label_of(none, "gemm")) == changes::Outcome::failed;
    called_changed += !label_of(none, "gemm").median->within_noise();
  }
  CHECK(found >= rounds * 95 / 100);
  CHECK(false_alarms == 0);
  // The interval of 95 %, with the fluctuation of 100 draws.
  CHECK(called_changed <= rounds / 10);
}

TEST_CASE("many values have the interval that few draws of them have") {
  std::mt19937_64 random(5);
  const auto interval = [&](size_t count) {
    std::vector<int64_t> a(count), b(count);
    std::normal_distribution<double> noise(1e6, 1e5);
    for (size_t i = 0; i < count; ++i) {
      a[i] = std::llround(noise(random));
      b[i] = std::llround(noise(random));
    }
    const changes::MedianDraws draws(count, 1), others(count, 2);
    const auto change = changes::median_change(a, draws, b, others);
    // In units of the standard error, which shrinks with the root of the count.
    return (change->high_ns - change->low_ns) * std::sqrt(static_cast<double>(count)) / 1e5;
  };
  // 2 × 1.96 standard errors of the difference of two medians, each 1.2533 of a mean's.
  constexpr double expected = 2 * 1.96 * 1.2533 * 1.4142;
  for (const size_t count : {200, 900, 1100, 20000}) {
    CAPTURE(count);
    CHECK(std::abs(interval(count) / expected - 1) < 0.35);
  }
}

TEST_CASE("runs are compared by the best unit that both have") {
  changes::Profile a = noisy_run(1, 10, 1), b = noisy_run(1, 20, 1);
  const auto unit = [&] {
    const std::vector<changes::Profile> left{a}, right{b};
    const changes::Unit unit = changes::compare(left, right, "substage").unit;
    return fmt::format("{}: {} and {}", unit.text(), unit.a, unit.b);
  };
  CHECK(unit() == "steps of decode: 10 and 20");
  a.steps.clear();
  a.blocks = 36;
  b.blocks = 72;
  CHECK(unit() == "repeated blocks: 36 and 72");
  b.blocks = 70;
  CHECK(unit() == "operations of common names: 300 and 600");
  a.blocks = 0;
  CHECK(unit() == "operations of common names: 300 and 600");
  for (changes::NameTime& name : a.names) name.name += "_old";
  CHECK(unit() == "runs: 1 and 1");
}

TEST_CASE("a stray short step at either end is neither reference nor verdict") {
  const auto with_stray = [](changes::Profile run) {
    changes::StepTime stray = run.steps[0];
    stray.total_ns = 0;
    for (changes::LabelTime& label : stray.labels) {
      label.total_ns /= 100;
      stray.total_ns += label.total_ns;
    }
    run.all.total_ns += 2 * stray.total_ns;
    run.steps.insert(run.steps.begin(), stray);
    run.steps.push_back(stray);
    return run;
  };
  const std::vector<changes::Profile> a{noisy_run(11, 20, 1)}, b{with_stray(noisy_run(12, 20, 1))};
  for (const auto& [left, right] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    const auto comparison = changes::compare(*left, *right, "substage");
    CHECK(comparison.unit.kind == changes::Unit::Kind::steps);
    // The mean has moved, the median has not.
    CHECK(std::abs(*comparison.total.per_unit.percent()) > 5);
    CHECK(std::abs(comparison.total.median->change_ns / comparison.total.median->a_ns) < 0.02);
    CHECK(comparison.total.median->within_noise());
    for (const char* gate : {"substage/gemm > +2%", "substage/gemm < -2%"}) {
      CHECK(judged(gate, label_of(comparison, "gemm")) != changes::Outcome::failed);
    }
  }
  // What changed comes first, whatever the stray steps do to the means.
  const std::vector<changes::Profile> c{with_stray(noisy_run(13, 20, 1.08))};
  CHECK(changes::compare(a, c, "substage").labels[0].label == "gemm");
}

TEST_CASE("a stray short run of a side is neither reference nor verdict") {
  std::vector<changes::Profile> a, b;
  for (uint64_t seed = 0; seed < 5; ++seed) {
    a.push_back(noisy_run(seed, 20, 1));
    b.push_back(noisy_run(seed + 5, seed == 0 || seed == 4 ? 1 : 20, 1));
  }
  for (std::vector<changes::Profile>* side : {&a, &b}) {
    for (changes::Profile& run : *side) run.steps.clear();
  }
  const auto comparison = changes::compare(a, b, "substage");
  CHECK(comparison.unit.kind == changes::Unit::Kind::runs);
  CHECK(std::abs(comparison.total.median->change_ns / comparison.total.median->a_ns) < 0.05);
  CHECK(judged("work < -10%", comparison.total) != changes::Outcome::failed);
}

TEST_CASE("several runs a side are the sample") {
  std::vector<changes::Profile> a, b;
  for (uint64_t seed = 0; seed < 3; ++seed) a.push_back(noisy_run(seed, 20, 1));
  for (uint64_t seed = 3; seed < 7; ++seed) b.push_back(noisy_run(seed, 20, 1.3));
  const auto comparison = changes::compare(a, b, "substage");
  CHECK(comparison.unit.a == 60);
  CHECK(comparison.unit.b == 80);
  CHECK(!label_of(comparison, "gemm").median->within_noise());
  CHECK(label_of(comparison, "attention").median->within_noise());
}

TEST_CASE("conditions") {
  const changes::Gate gate = changes::parse_gate(" substage/gemm>+5% ");
  CHECK(gate.dimension == "substage");
  CHECK(gate.label == "gemm");
  CHECK(gate.above);
  CHECK(gate.relative);
  CHECK(gate.limit == 5);
  CHECK(changes::parse_gate("total < -1.5 ms / step").limit == -1.5e6);
  CHECK(!changes::parse_gate("total < -1.5 ms/step").above);
  CHECK(changes::parse_gate("step/decode > +300us/step").phase == "decode");
  CHECK(changes::parse_gate("step/decode > +300us/step").subject == changes::Gate::Subject::step);
  CHECK(changes::parse_gate("span > +5ms/run").per == "run");
  for (const char* wrong :
       {"", "total", "gemm > 5%", "/gemm > 5%", "substage/ > 5%", "step/ > 5%", "total > 5",
        "total > five%", "total > +%", "total > --5%", "total > 5 min", "total > 5ms",
        "step > 5ms/", "step > 5ms/steps", "step > 5/step"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(changes::parse_gate(wrong), Error);
  }
}

TEST_CASE("a condition fails by a change beyond its limit and beyond noise") {
  const auto judged = [](const char* gate, double change, std::optional<double> low, double high) {
    changes::Measured measured{1000, change, {}};
    if (low) measured.interval = {*low, high};
    return changes::judge(changes::parse_gate(gate), measured);
  };
  CHECK(judged("total > +2%", 50, 30, 70) == changes::Outcome::failed);
  CHECK(judged("total > +2%", 50, 10, 90) == changes::Outcome::failed);
  CHECK(judged("total > +2%", 50, -10, 110) == changes::Outcome::undecided);
  CHECK(judged("total > +2%", 5, -10, 19) == changes::Outcome::passed);
  CHECK(judged("total > +2%", 50, {}, 0) == changes::Outcome::undecided);
  CHECK(judged("total > +2%", 5, {}, 0) == changes::Outcome::passed);
  CHECK(judged("total < -5%", -80, -90, -60) == changes::Outcome::failed);
  CHECK(judged("total < -5%", -60, -130, 10) == changes::Outcome::undecided);
  CHECK(judged("total < -5%", -40, -60, -10) == changes::Outcome::passed);
  // Where no change would fail, noise is around the limit.
  CHECK(judged("total > -10%", -50, -60, -40) == changes::Outcome::failed);
  CHECK(judged("total > -10%", -90, -120, -60) == changes::Outcome::undecided);
  CHECK(judged("total > 40ns/step", 50, 45, 60) == changes::Outcome::failed);
}

TEST_CASE("phases are compared one by one, by the median wall time of their own steps") {
  const auto with_prefill = [](changes::Profile run, int64_t count, int64_t wall_ns) {
    for (int64_t i = 0; i < count; ++i) {
      changes::StepTime step{"prefill", 5'000'000, {{0, "gemm", 5'000'000}}, wall_ns, 4'000'000};
      run.names[1].amount += {40, step.total_ns};
      run.all += {40, step.total_ns};
      run.steps.push_back(step);
    }
    return run;
  };
  // The same steps, but other numbers of them.
  const std::vector<changes::Profile> a{with_prefill(noisy_run(1, 30, 1), 3, 6'000'000)};
  const std::vector<changes::Profile> b{with_prefill(noisy_run(2, 20, 1), 9, 6'000'000)};
  const auto mixed = changes::compare(a, b, "substage");
  CHECK(mixed.phases.size() == 2);
  for (const char* phase : {"prefill", "decode"}) {
    const changes::PhaseChange* const change = phase_of(mixed, phase);
    REQUIRE(change != nullptr);
    CHECK(changes::verdict_of(*change->wall->median) == changes::Verdict::within_noise);
  }
  CHECK(std::abs(*mixed.total.per_unit.percent()) < 5);
  CHECK(std::abs(mixed.total.measured().interval->percent->first) < 3);
  CHECK(mixed.names[0].per_unit == std::nullopt);
  // Only prefill got slower, and its work did not.
  const std::vector<changes::Profile> slow{with_prefill(noisy_run(3, 30, 1), 3, 7'000'000)};
  const auto slower = changes::compare(a, slow, "substage");
  CHECK(changes::verdict_of(*phase_of(slower, "prefill")->wall->median) == changes::Verdict::more);
  CHECK(changes::verdict_of(*phase_of(slower, "decode")->wall->median) ==
        changes::Verdict::within_noise);
  CHECK(*phase_of(slower, "prefill")->idle->percent() == doctest::Approx(50));
  CHECK(phase_of(slower, "prefill")->work.percent() == 0.0);
}

TEST_CASE("the parts of labels add up to those of the run") {
  const std::vector<changes::Profile> a{noisy_run(1, 30, 1)}, b{noisy_run(2, 40, 1.1)};
  const auto comparison = changes::compare(a, b, "substage");
  changes::Parts sum;
  for (const changes::LabelChange& one : comparison.labels) {
    sum.calls_ns += one.parts.calls_ns;
    sum.names_ns += one.parts.names_ns;
    sum.time_per_call_ns += one.parts.time_per_call_ns;
  }
  CHECK(sum.calls_ns == comparison.total.parts.calls_ns);
  CHECK(sum.names_ns == comparison.total.parts.names_ns);
  CHECK(sum.time_per_call_ns == comparison.total.parts.time_per_call_ns);
}

TEST_CASE("a side that lost kernels is not judged") {
  std::vector<changes::Profile> a{noisy_run(1, 30, 1)}, b{noisy_run(2, 30, 1)};
  b[0].incomplete = "12 launches have no kernel";
  CHECK(changes::compare(a, b, "substage").not_judged == "run 2: 12 launches have no kernel");
}

TEST_CASE("runs without steps are compared by the repeats of a block") {
  const auto run_of = [](uint64_t seed, int64_t repeats, int64_t wall_ns) {
    std::mt19937_64 random(seed);
    changes::Profile run;
    run.dimensions = {"substage"};
    run.names.push_back({"gemm", kr::OperationKind::kernel, {"gemm"}, {}});
    for (int64_t i = 0; i < repeats; ++i) {
      changes::StepTime one{"repeated block of 12 kernels", 900'000, {}, {}, 800'000};
      if (i + 1 < repeats) one.wall_ns = wall_ns + static_cast<int64_t>(random() % 10'000);
      run.names[0].amount += {12, one.total_ns};
      run.repeats.push_back(one);
    }
    run.all = run.names[0].amount;
    run.span_ns = repeats * wall_ns;
    return run;
  };
  const std::vector<changes::Profile> a{run_of(1, 32, 1'000'000)}, b{run_of(2, 28, 1'138'000)};
  const auto comparison = changes::compare(a, b, "substage");
  const changes::PhaseChange* const main = comparison.main_phase();
  REQUIRE(main != nullptr);
  CHECK(main->of_repeats);
  CHECK(main->a_steps == 32);
  CHECK(main->b_steps == 28);
  CHECK(*main->wall->percent() == doctest::Approx(13.8).epsilon(0.05));
  CHECK(changes::verdict_of(*main->wall->median) == changes::Verdict::more);
  CHECK(*main->busy->percent() == 0);
  // With steps in common, these are compared.
  std::vector<changes::Profile> c = a, d = b;
  c[0].steps.push_back({"decode", 1'000'000, {}, 2'000'000, 1'000'000});
  d[0].steps.push_back({"decode", 1'000'000, {}, 2'000'000, 1'000'000});
  const auto by_steps = changes::compare(c, d, "substage");
  REQUIRE(by_steps.phases.size() == 1);
  CHECK(!by_steps.phases[0].of_repeats);
}
