// Jobs whose clocks and delays are planted: what is found is close to that, and what is said of the
// times is what a slow computation says.
#include "job/job.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "support/rounds.hpp"

namespace {

using kr::job::CollectiveInstance;
using kr::job::GroupTimes;
using kr::job::Member;
using kr::job::RankClock;

constexpr int64_t jitter_ns = 1000;  // of ends on one clock

enum class Straggler { none, device, host };

/// A job on true clocks, as the ranks see it on theirs.
class Planted {
 public:
  Planted(unsigned seed, bool drifts) : random_(seed) {
    const size_t ranks = 2 + below(7);
    straggler = static_cast<Straggler>(below(3));
    late = below(ranks);
    for (size_t r = 0; r < ranks; ++r) {
      // Alike, as NTP leaves them (no end contradicts that they are), or beyond all bounds.
      const size_t kind = r == 0 ? 0 : below(4);
      const int64_t apart = kind == 0   ? 0
                            : kind == 1 ? span(2'000, 40'000)
                                        : span(5'000'000, 50'000'000);
      offset_.push_back((below(2) == 0 ? -1 : 1) * apart);
      // Up to 20 parts in a million: what crystals do.
      drift_.push_back(drifts && r > 0 ? static_cast<double>(span(-20'000, 20'000)) * 1e-9 : 0);
      runs_.emplace_back(1);
      runs_.back()[0].groups.push_back(
          {"0", "", "", kr::job::CollectiveKind::all_reduce, "", static_cast<int64_t>(ranks)});
    }
    // 200 collectives in 16 seconds: drifts make more than there is room between bounds.
    std::vector<int64_t> free(ranks, 0);  // when each rank goes on
    std::vector<int64_t> busy(ranks, 0);
    for (int k = 0; k < 200; ++k) {
      std::vector<int64_t> start(ranks), work(ranks);
      int64_t last = 0;
      for (size_t r = 0; r < ranks; ++r) {
        work[r] = span(80'000'000, 80'200'000);
        int64_t idle = span(100'000, 200'000);
        if (r == late && straggler == Straggler::device) work[r] += 2'000'000;
        if (r == late && straggler == Straggler::host) idle += 2'000'000;
        start[r] = free[r] + work[r] + idle;
        last = std::max(last, start[r]);
      }
      const int64_t transfer = span(50'000, 500'000);
      for (size_t r = 0; r < ranks; ++r) {
        const int64_t end = last + transfer + span(0, jitter_ns);
        runs_[r][0].collectives.push_back({seen(r, start[r]), seen(r, end), busy[r] + work[r],
                                           1 << 20, CollectiveInstance::unknown, 0});
        busy[r] += work[r] + runs_[r][0].collectives.back().duration_ns();
        free[r] = end;
      }
    }
  }

  kr::job::Job found(kr::job::ClockPolicy policy = kr::job::default_clock_policy) const {
    return kr::job::analyze_job(runs(), {policy, {}});
  }
  std::vector<kr::job::JobRun> runs() const {
    std::vector<kr::job::JobRun> out;
    for (const std::vector<Member>& one : runs_) {
      out.push_back({one, {.utc_ns = int64_t{1'700'000'000'000'000'000}}});
    }
    return out;
  }
  size_t ranks() const { return runs_.size(); }
  const Member& member(size_t rank) const { return runs_[rank][0]; }
  /// On the clock of rank 0, since 1970, of a time on that of a rank.
  double truth(size_t rank, int64_t time) const {
    return (static_cast<double>(time) - static_cast<double>(offset_[rank])) / (1 + drift_[rank]);
  }

  double drift(size_t rank) const { return drift_[rank]; }

  Straggler straggler = Straggler::none;
  size_t late = 0;

 private:
  size_t below(size_t limit) { return random_() % limit; }
  int64_t span(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1));
  }
  int64_t seen(size_t rank, int64_t time) const {
    return time + offset_[rank] + std::llround(drift_[rank] * static_cast<double>(time));
  }

  std::mt19937_64 random_;
  std::vector<int64_t> offset_;
  std::vector<double> drift_;
  std::vector<std::vector<Member>> runs_;
};

/// The formulas of job/collectives.hpp, one collective after the other.
void check_times(const Planted& job, const kr::job::Job& found) {
  REQUIRE(found.collectives.size() == 1);
  const GroupTimes& got = found.collectives[0];
  REQUIRE(got.one_clock);
  std::vector<int64_t> waiting(job.ranks()), beyond(job.ranks()), last_count(job.ranks());
  std::vector<int64_t> waited_for(job.ranks());
  int64_t skew = 0, fastest = 0;
  for (size_t k = 0; k < job.member(0).collectives.size(); ++k) {
    std::vector<int64_t> starts, durations;
    for (size_t r = 0; r < job.ranks(); ++r) {
      const CollectiveInstance& one = job.member(r).collectives[k];
      starts.push_back(found.clocks.on_clock(r, one.start_ns));
      durations.push_back(one.end_ns - one.start_ns);
    }
    const int64_t last = *std::max_element(starts.begin(), starts.end());
    skew += last - *std::min_element(starts.begin(), starts.end());
    int64_t least = INT64_MAX;
    const auto late =
        static_cast<size_t>(std::find(starts.begin(), starts.end(), last) - starts.begin());
    ++last_count[late];
    for (size_t r = 0; r < job.ranks(); ++r) {
      const int64_t wait = std::min(durations[r], std::max<int64_t>(0, last - starts[r]));
      waiting[r] += wait;
      waited_for[late] += wait;
      least = std::min(least, durations[r] - wait);
      beyond[r] += durations[r] - *std::min_element(durations.begin(), durations.end());
    }
    fastest += least;
  }
  CHECK(got.delay().total_ns() == skew);
  CHECK(got.bandwidth->time_ns == fastest);
  for (size_t r = 0; r < job.ranks(); ++r) {
    CHECK(got.parts[r].waiting_ns == waiting[r]);
    CHECK(got.parts[r].beyond_shortest_ns == beyond[r]);
    CHECK(got.parts[r].last == last_count[r]);
    CHECK(got.parts[r].waited_for_ns == waited_for[r]);
    CHECK(got.parts[r].waiting_ns <= got.parts[r].total_ns);
  }
}

void check_clocks(const Planted& job, const kr::job::Job& found) {
  for (size_t r = 0; r < job.ranks(); ++r) {
    for (const size_t k : {size_t{0}, size_t{100}, size_t{199}}) {
      const int64_t time = job.member(r).collectives[k].end_ns;
      const int64_t base = found.clocks.ranks[0].base_ns;
      const double error =
          static_cast<double>(found.clocks.on_clock(r, time) - base) - job.truth(r, time);
      CAPTURE(r);
      CAPTURE(k);
      const RankClock& clock = found.clocks.ranks[r];
      // A drift that is no more than noise is left in, for all of the 17 s.
      double allowed = static_cast<double>(jitter_ns) * 2;
      if (clock.estimate && clock.applied_drift == 0) {
        allowed += 17e9 * std::abs(job.drift(r));
      }
      CHECK(std::abs(error) <= allowed);
    }
  }
}

void check_headline(const Planted& job, const kr::job::Job& found) {
  if (job.straggler == Straggler::none) return;
  const auto headline = kr::job::headline_of(found);
  REQUIRE(headline);
  REQUIRE(headline->all.latest);
  CHECK(headline->all.latest->first == job.late);
  CHECK(!headline->all.chance);
  CHECK(headline->bound ==
        (job.straggler == Straggler::device ? kr::job::Bound::skew : kr::job::Bound::host));
}

}  // namespace

TEST_CASE("planted clocks and stragglers are found") {
  uint64_t corrected = 0;
  // Clocks are one wherever the bounds allow it: found in round 3.
  const uint64_t rounds = kr::test::rounds(50, 3);
  for (unsigned seed = 1; seed <= rounds; ++seed) {
    CAPTURE(seed);
    const Planted job(seed, seed % 2 == 0);
    const kr::job::Job found = job.found();
    CHECK(found.clocks.is_one());
    check_clocks(job, found);
    check_times(job, found);
    check_headline(job, found);
    for (size_t r = 1; r < job.ranks(); ++r) {
      const RankClock& clock = found.clocks.ranks[r];
      corrected += clock.applied_drift != 0 ? 1 : 0;
      // In 16 s, less than the jitter of ends.
      const double drift = clock.estimate->drift_ns_per_s.value_or(0);
      CHECK(std::abs(drift + 1e9 * job.drift(r)) < static_cast<double>(jitter_ns) / 8);
    }
  }
  CHECK(corrected > rounds / 2);
}

TEST_CASE("constant offsets are found to the jitter of ends, and equal clocks stay") {
  // Clocks are one wherever the bounds allow it: found in round 2.
  for (unsigned seed = 1; seed <= kr::test::rounds(50, 2); ++seed) {
    CAPTURE(seed);
    const Planted job(seed, false);
    const kr::job::Job found = job.found();
    for (size_t r = 1; r < job.ranks(); ++r) {
      const RankClock& clock = found.clocks.ranks[r];
      const auto truth = static_cast<int64_t>(job.truth(r, 0));
      REQUIRE(clock.estimate);
      CHECK(clock.estimate->low_ns <= truth);
      CHECK(truth <= clock.estimate->high_ns);
      CHECK(std::abs(clock.estimate->offset_ns - truth) <= jitter_ns);
      CHECK(!clock.estimate->drift_ns_per_s);
      CHECK(clock.applied_ns == (truth == 0 ? 0 : clock.estimate->offset_ns));
    }
  }
}

TEST_CASE("clocks are left alone where the user says so") {
  const Planted job(3, false);
  for (const auto policy : {kr::job::ClockPolicy::utc, kr::job::ClockPolicy::none}) {
    const kr::job::Job found = job.found(policy);
    for (const RankClock& clock : found.clocks.ranks) CHECK(clock.applied_ns == 0);
    CHECK(found.clocks.is_one() == (policy == kr::job::ClockPolicy::utc));
    CHECK(found.collectives[0].one_clock == (policy == kr::job::ClockPolicy::utc));
  }
}

TEST_CASE("ranks are joined through others, and uncertainties add") {
  // A chain: rank r has a group with r - 1 alone. Its clock is 1 ms behind that.
  constexpr int64_t step = 1'000'000;
  std::vector<std::vector<Member>> runs;
  for (int64_t r = 0; r < 4; ++r) {
    Member& member = runs.emplace_back(1).front();
    for (const int64_t pair : {r - 1, r}) {
      const auto at = static_cast<uint32_t>(member.groups.size());
      member.groups.push_back(
          {std::to_string(pair), "", "", kr::job::CollectiveKind::barrier, "", 2});
      for (int64_t k = 0; k < 10; ++k) {
        const int64_t time = 10 * step * k + step * pair - step * r;
        member.collectives.push_back(
            {time, time + 100, 0, CollectiveInstance::unknown, CollectiveInstance::unknown, at});
      }
    }
  }
  std::vector<kr::job::JobRun> of;
  for (const auto& one : runs) of.push_back({one, {}});
  const auto clocks = kr::job::analyze_job(of).clocks;
  CHECK(clocks.is_one());
  for (size_t r = 0; r < 4; ++r) {
    const auto away = static_cast<int64_t>(r);
    CHECK(clocks.shift_ns(r) == step * away);
    CHECK(clocks.ranks[r].reference == 0);
    if (r == 0) continue;
    CHECK(clocks.ranks[r].estimate->low_ns == step * away - 100 * away);
    CHECK(clocks.ranks[r].estimate->high_ns == step * away + 100 * away);
  }
}

TEST_CASE("broadcasts and reduces bound one side of the clock, where their root is known") {
  std::mt19937_64 random(20261125);
  const auto span = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  uint64_t tighter = 0;
  // A reduce goes the way of a broadcast: found in round 1.
  const uint64_t rounds = kr::test::rounds(50, 1);
  for (uint64_t round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const int64_t offset = span(-5'000'000, 5'000'000);  // of the clock of rank 1
    std::vector<std::vector<Member>> runs(2, std::vector<Member>(1));
    const std::vector<kr::job::CollectiveKind> kinds{kr::job::CollectiveKind::all_reduce,
                                                     kr::job::CollectiveKind::broadcast,
                                                     kr::job::CollectiveKind::reduce};
    for (auto& one : runs) {
      for (const auto kind : kinds) one[0].groups.push_back({"0", "[0, 1]", "", kind, "", 2});
    }
    int64_t now = 0;
    for (int k = 0; k < 60; ++k) {
      const uint32_t group = k % 10 == 0 ? 0 : static_cast<uint32_t>(1 + k % 2);
      const auto root = static_cast<int32_t>(random() % 2);
      int64_t start[2] = {now + span(0, 3'000'000), now + span(0, 3'000'000)};
      int64_t end[2];
      for (int r = 0; r < 2; ++r) {
        // Who needs no data of the other may end before the other has begun.
        const bool needs = group == 0 || (group == 1) == (r != root);
        end[r] = (needs ? std::max(start[0], start[1]) : start[r]) + span(20'000, 50'000);
      }
      for (int r = 0; r < 2; ++r) {
        const int64_t seen = r == 1 ? offset : 0;
        runs[static_cast<size_t>(r)][0].collectives.push_back(
            {start[r] + seen, end[r] + seen, 0, CollectiveInstance::unknown,
             CollectiveInstance::unknown, group, group == 0 ? -1 : root});
      }
      now += 10'000'000;
    }
    const kr::trace::Clock clock{.utc_ns = int64_t{1'700'000'000'000'000'000}};
    std::vector<kr::job::JobRun> known{{runs[0], clock, 0}, {runs[1], clock, 1}};
    std::vector<kr::job::JobRun> unknown{{runs[0], clock}, {runs[1], clock}};
    const auto got = kr::job::analyze_job(known).clocks.ranks[1].estimate;
    const auto without = kr::job::analyze_job(unknown).clocks.ranks[1].estimate;
    REQUIRE(got);
    REQUIRE(without);
    CHECK(without->collectives == 6);
    CHECK(got->collectives == 60);
    // The planted clock is within both, and bounds only become tighter.
    CHECK(got->low_ns <= -offset);
    CHECK(-offset <= got->high_ns);
    CHECK(without->low_ns <= got->low_ns);
    CHECK(got->high_ns <= without->high_ns);
    // The formula, one collective after the other.
    int64_t low = INT64_MIN, high = INT64_MAX;
    for (size_t k = 0; k < 60; ++k) {
      const CollectiveInstance& a = runs[0][0].collectives[k];
      const CollectiveInstance& b = runs[1][0].collectives[k];
      const bool from_root = a.group == 1;
      if (a.group == 0 || from_root == (a.peer == 0)) low = std::max(low, a.start_ns - b.end_ns);
      if (a.group == 0 || from_root == (a.peer == 1)) high = std::min(high, a.end_ns - b.start_ns);
    }
    CHECK(got->low_ns == low);
    CHECK(got->high_ns == high);
    tighter += got->high_ns - got->low_ns < without->high_ns - without->low_ns ? 1 : 0;
  }
  CHECK(tighter > rounds / 2);
}
