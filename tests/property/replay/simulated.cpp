// Critical paths and replays are compared with the truth of simulated runs.
#include <doctest/doctest.h>

#include <cmath>

#include "replay/model.hpp"
#include "support/rounds.hpp"
#include "support/simulated_run.hpp"

namespace {

using kr::replay::Changed;
using kr::replay::Model;
using kr::replay::PathPart;
using kr::test::simulated_run;
using kr::test::SimulatedRun;
using Cause = SimulatedRun::Cause;

int64_t span_of(const Model& model, const Changed& changed) {
  kr::replay::Extent extent;
  model.replay(changed, [&](uint32_t, int64_t start, int64_t end) { extent.add(start, end); });
  return extent.span_ns();
}

/// Within 5 % of what is saved, or 2 % of the new span.
void check_saved(int64_t before_ns, int64_t truth_ns, int64_t replayed_ns) {
  const double saved = static_cast<double>(before_ns - truth_ns);
  const double error = std::abs(static_cast<double>(truth_ns - replayed_ns));
  CHECK(error <= std::max(0.05 * std::abs(saved), 0.02 * static_cast<double>(truth_ns)));
}

}  // namespace

TEST_CASE("a replay with a change is the run with that change") {
  // A kernel that becomes bound by the device follows without a gap: found in round 1.
  for (uint64_t seed = 0; seed < kr::test::rounds(60, 1); ++seed) {
    CAPTURE(seed);
    const SimulatedRun run = simulated_run(seed, {});
    const kr::trace::Trace trace = run.trace();
    const Model model(trace);
    REQUIRE(span_of(model, {}) == run.span_ns());
    for (const double host : {0.0, 0.5}) {
      CAPTURE(host);
      Changed changed;
      changed.host = host;
      check_saved(run.span_ns(), simulated_run(seed, {host, 1}).span_ns(), span_of(model, changed));
    }
    for (const double factor : {0.25, 0.5, 1.5}) {
      CAPTURE(factor);
      Changed changed;
      for (const kr::trace::Operation& one : trace.operations) {
        const bool is_changed = trace.names.get(one.name).text == "changed";
        changed.duration_ns.push_back(
            is_changed ? std::llround(static_cast<double>(one.duration_ns) * factor)
                       : one.duration_ns);
      }
      check_saved(run.span_ns(), simulated_run(seed, {1, factor}).span_ns(),
                  span_of(model, changed));
    }
  }
}

TEST_CASE("the critical path is what decided the last end") {
  // The gap from kernel to kernel is the host's: found in round 1.
  for (uint64_t seed = 0; seed < kr::test::rounds(100, 1); ++seed) {
    CAPTURE(seed);
    const SimulatedRun run = simulated_run(seed, {});
    const kr::trace::Trace trace = run.trace();
    const Model model(trace);
    std::map<PathPart, int64_t> parts;
    kr::replay::Decisions(model).critical_path(
        [&](const kr::replay::Piece& piece) { parts[piece.part] += piece.to_ns - piece.from_ns; });
    std::map<Cause, int64_t> truth = run.critical_path();
    const auto near = [&](int64_t got, int64_t expected) {
      return std::abs(got - expected) <= run.span_ns() / 50;
    };
    CHECK(near(parts[PathPart::operation], truth[Cause::operation]));
    CHECK(near(parts[PathPart::launch], truth[Cause::launch]));
    CHECK(near(parts[PathPart::delay], truth[Cause::queued]));
    // A copy stages in its call, and returns from it.
    CHECK(near(parts[PathPart::host] + parts[PathPart::synchronization],
               truth[Cause::host] + truth[Cause::copy] + truth[Cause::synchronization]));
    CHECK(near(parts[PathPart::unexplained], 0));
  }
}
