// Whether clocks that differ by less than a collective takes are moved: job/clock.hpp.
#include "job/clock.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <vector>

#include "job/job.hpp"

namespace kr_test_job_clock {

using kr::job::CollectiveGroup;
using kr::job::CollectiveInstance;
using kr::job::CollectiveKind;
using kr::job::Member;
using kr::job::RankClock;

constexpr int64_t us = 1'000;

/// Two ranks, both of which know their clock; that of rank 1 is `offset` ahead.
class Pair {
 public:
  explicit Pair(int64_t offset) : offset_(offset), runs_(2, std::vector<Member>(1)) {}

  /// `count` collectives of 200 us, a millisecond after each other. On rank 1 they end `late` later
  /// than on rank 0, and every second one `scatter` later still.
  Pair& add(CollectiveKind kind, int count, int64_t late = 0, int64_t scatter = 0,
            int64_t drift_per_ms = 0) {
    const std::vector<CollectiveGroup>& groups = runs_[0][0].groups;
    uint32_t group = 0;
    while (group < groups.size() && groups[group].kind != kind) ++group;
    if (group == groups.size()) {
      for (auto& run : runs_) run[0].groups.push_back({"0", "[0, 1]", "", kind, "", 2});
    }
    for (int k = 0; k < count; ++k, now_ += 1000 * us) {
      for (int r = 0; r < 2; ++r) {
        const int64_t seen = r == 0 ? 0 : offset_ + drift_per_ms * (now_ / (1000 * us));
        const int64_t more = r == 0 ? 0 : late + (k % 2 == 0 ? 0 : scatter);
        runs_[static_cast<size_t>(r)][0].collectives.push_back(
            {now_ + seen, now_ + 200 * us + seen + more, 0, CollectiveInstance::unknown,
             CollectiveInstance::unknown, group});
      }
    }
    return *this;
  }

  RankClock clock() const {
    const kr::trace::Clock known{.utc_ns = int64_t{1'700'000'000'000'000'000}};
    return kr::job::analyze_job(std::vector<kr::job::JobRun>{{runs_[0], known}, {runs_[1], known}})
        .clocks.ranks[1];
  }
  int64_t applied() const { return clock().applied_ns; }

 private:
  int64_t offset_;
  int64_t now_ = 0;
  std::vector<std::vector<Member>> runs_;
};

TEST_CASE("clocks that differ by less than a collective takes are moved") {
  const RankClock clock = Pair(62 * us).add(CollectiveKind::all_reduce, 8).clock();
  CHECK(clock.applied_ns == -62 * us);
  CHECK(clock.from == RankClock::From::collectives);
  // No end contradicts them.
  CHECK(clock.estimate->low_ns < 0);
  CHECK(clock.estimate->high_ns > 0);
}

TEST_CASE("a few collectives do not move a clock inside the bounds") {
  CHECK(Pair(62 * us).add(CollectiveKind::all_reduce, 7).applied() == 0);
  // Beyond the bounds, one is.
  CHECK(Pair(300 * us).add(CollectiveKind::all_reduce, 1).applied() == -300 * us);
}

TEST_CASE("differences of ends within 3 deviations, or within the resolution, are noise") {
  // Half of the differences are 0, half 20 us: a median deviation of 0 is not all of the scatter.
  CHECK(Pair(0).add(CollectiveKind::all_reduce, 40, 0, 20 * us).applied() == 0);
  CHECK(Pair(1 * us).add(CollectiveKind::all_reduce, 40).applied() == 0);
  CHECK(Pair(2 * us).add(CollectiveKind::all_reduce, 40).applied() == -2 * us);
  // A median of 10 us and a deviation of 5 us.
  Pair scattered(0);
  for (const int64_t late : {5, 5, 10, 10, 15, 15, 20, 5, 15, 10}) {
    scattered.add(CollectiveKind::all_gather, 1, late * us);
  }
  CHECK(scattered.clock().estimate->offset_ns == -10 * us);
  CHECK(scattered.applied() == 0);
}

TEST_CASE("alltoalls and sendrecvs may end apart on one clock") {
  // As sendrecvs between two GPUs were measured.
  CHECK(Pair(0).add(CollectiveKind::send_receive, 33, 22 * us).applied() == 0);
  CHECK(Pair(0).add(CollectiveKind::all_to_all, 33, 22 * us).applied() == 0);
  CHECK(Pair(62 * us).add(CollectiveKind::all_to_all, 33).applied() == -62 * us);
  // Eight that end together decide, whatever the others say.
  CHECK(Pair(0)
            .add(CollectiveKind::all_to_all, 33, 60 * us)
            .add(CollectiveKind::all_reduce, 8)
            .applied() == 0);
  CHECK(Pair(30 * us)
            .add(CollectiveKind::all_to_all, 33, 60 * us)
            .add(CollectiveKind::all_reduce, 8)
            .applied() == -30 * us);
}

TEST_CASE("a drift inside the bounds is removed, too") {
  // 100 us in 100 ms: no constant is wrong.
  const RankClock clock = Pair(0).add(CollectiveKind::all_reduce, 101, 0, 0, 1 * us).clock();
  CHECK(clock.applied_drift == doctest::Approx(-1e-3).epsilon(0.01));
  CHECK(clock.estimate->low_ns <= clock.estimate->high_ns);
  const auto on_clock = [&](int64_t time) {
    return clock.on_clock(time) - int64_t{1'700'000'000'000'000'000};
  };
  CHECK(std::abs(on_clock(0) - 0) < us);
  CHECK(std::abs(on_clock(100'000 * us + 100 * us) - 100'000 * us) < us);
}

}  // namespace kr_test_job_clock
