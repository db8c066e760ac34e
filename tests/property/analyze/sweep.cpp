// The sweeps are compared with bitmaps, which have a bit per nanosecond of a short time line.
#include "analyze/sweep.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

#include "support/rounds.hpp"

namespace {

struct Interval {
  int64_t start, end;
  kr::analyze::Kind kind;
};

using Bitmap = std::vector<bool>;

Bitmap covered(const std::vector<Interval>& intervals, kr::analyze::Kind kind, size_t length) {
  Bitmap bits(length);
  for (const Interval& interval : intervals) {
    if (interval.kind != kind) continue;
    for (int64_t t = interval.start; t < interval.end; ++t) bits[static_cast<size_t>(t)] = true;
  }
  return bits;
}

std::vector<Interval> random_intervals(std::mt19937& random, int64_t length) {
  std::uniform_int_distribution<int> count(1, 12);
  std::uniform_int_distribution<int64_t> time(0, length);
  std::uniform_int_distribution<int> kind(0, 2);
  std::vector<Interval> intervals(static_cast<size_t>(count(random)));
  for (Interval& interval : intervals) {
    const int64_t a = time(random), b = time(random);
    interval = {std::min(a, b), std::max(a, b), static_cast<kr::analyze::Kind>(kind(random))};
  }
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.start < b.start; });
  return intervals;
}

}  // namespace

TEST_CASE("a device's sums are those of its bitmap, and add up") {
  const unsigned seed = 20240917;
  CAPTURE(seed);
  std::mt19937 random(seed);
  constexpr int64_t length = 60;
  // The covered time ends where the last interval ends: found in round 1.
  for (uint64_t round = 0; round < kr::test::rounds(1000, 1); ++round) {
    CAPTURE(round);
    const auto intervals = random_intervals(random, length);
    kr::analyze::DeviceSweep sweep;
    for (const Interval& i : intervals) sweep.add(i.kind, i.start, i.end);
    sweep.finish();
    const kr::analyze::Breakdown got = sweep.breakdown();

    const Bitmap compute = covered(intervals, kr::analyze::Kind::compute, length);
    const Bitmap communication = covered(intervals, kr::analyze::Kind::communication, length);
    const Bitmap memory = covered(intervals, kr::analyze::Kind::memory, length);
    int64_t exposed_communication = 0, exposed_memory = 0, busy = 0;
    for (size_t t = 0; t < length; ++t) {
      exposed_communication += communication[t] && !compute[t];
      exposed_memory += memory[t] && !compute[t] && !communication[t];
      busy += compute[t] || communication[t] || memory[t];
    }
    int64_t last = 0;
    for (const Interval& i : intervals) last = std::max(last, i.end);
    const int64_t span = last - intervals.front().start;

    REQUIRE(got.compute_ns == std::count(compute.begin(), compute.end(), true));
    REQUIRE(got.communication_ns == std::count(communication.begin(), communication.end(), true));
    REQUIRE(got.memory_ns == std::count(memory.begin(), memory.end(), true));
    REQUIRE(got.exposed_communication_ns == exposed_communication);
    REQUIRE(got.exposed_memory_ns == exposed_memory);
    REQUIRE(got.busy_ns == busy);
    REQUIRE(got.span_ns == span);
    REQUIRE(got.idle_ns == span - busy);
  }
}

TEST_CASE("the parts of a union add up to it, with any overlap") {
  std::mt19937 random(7);
  // The covered time ends where the last interval ends: found in round 2.
  for (uint64_t round = 0; round < kr::test::rounds(1000, 2); ++round) {
    CAPTURE(round);
    const auto intervals = random_intervals(random, 40);
    kr::analyze::UnionSweep sweep;
    Bitmap bits(40);
    int64_t sum = 0;
    for (const Interval& interval : intervals) {
      int64_t fresh = 0;
      for (int64_t t = interval.start; t < interval.end; ++t) {
        fresh += !bits[static_cast<size_t>(t)];
        bits[static_cast<size_t>(t)] = true;
      }
      REQUIRE(sweep.add(interval.start, interval.end) == fresh);
      sum += fresh;
    }
    REQUIRE(sweep.covered_ns() == sum);
    REQUIRE(sum == std::count(bits.begin(), bits.end(), true));
  }
}
