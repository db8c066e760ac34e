// What the collectives of a job come to, and of some ranks of one: job/job.hpp.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "job/job.hpp"

namespace kr_test_job_headline {

using kr::job::Bound;
using kr::job::CollectiveGroup;
using kr::job::CollectiveInstance;
using kr::job::CollectiveKind;
using kr::job::Headline;
using kr::job::Member;

constexpr int64_t us = 1'000;

/// Ranks on one clock.
class Ranks {
 public:
  explicit Ranks(size_t ranks) : runs_(ranks, std::vector<Member>(1)) {}

  /// A collective of `ranks`, which start at these times and all end `transfer` after the last.
  /// Before their start, devices are busy.
  Ranks& add(const std::string& name, const std::vector<size_t>& ranks, std::vector<int64_t> starts,
             int64_t transfer, int64_t size, CollectiveKind kind = CollectiveKind::all_reduce) {
    int64_t last = 0;
    for (int64_t& start : starts) last = std::max(last, start = now_ + start);
    for (size_t i = 0; i < ranks.size(); ++i) {
      Member& member = runs_[ranks[i]][0];
      const auto group = group_of(member, name, size, kind);
      member.collectives.push_back(
          {starts[i], last + transfer, starts[i], 1 << 20, CollectiveInstance::unknown, group});
    }
    now_ = last + transfer + us;
    return *this;
  }
  kr::job::Job job(std::optional<int64_t> world_size = {}) const {
    std::vector<kr::job::JobRun> of;
    for (const auto& one : runs_) {
      of.push_back({.members = one,
                    .clock = {.utc_ns = int64_t{1'700'000'000'000'000'000}},
                    .world_size = world_size});
    }
    return kr::job::analyze_job(of);
  }

 private:
  static uint32_t group_of(Member& member, const std::string& name, int64_t size,
                           CollectiveKind kind) {
    size_t at = 0;
    while (at < member.groups.size() && member.groups[at].name != name) ++at;
    if (at == member.groups.size()) {
      member.groups.push_back({name, "", "", kind, "", size});
    }
    return static_cast<uint32_t>(at);
  }

  std::vector<std::vector<Member>> runs_;
  int64_t now_ = 0;
};

/// `job` outlives it.
Headline headline(const kr::job::Job& job) {
  auto found = kr::job::headline_of(job);
  REQUIRE(found);
  return *found;
}

Ranks two(int64_t size) {
  Ranks ranks(2);
  for (int k = 0; k < 20; ++k) ranks.add("tp", {0, 1}, {0, 5 * us}, 100 * us, size);
  return ranks;
}

TEST_CASE("all members of a group decide what it is bound by, some of them nothing") {
  const kr::job::Job whole = two(2).job(2);
  CHECK(headline(whole).bound == Bound::transfer);
  CHECK(whole.collectives[0].complete);
  CHECK(!whole.collectives[0].bandwidth->with_waiting);

  const kr::job::Job part = two(8).job(8);
  const Headline some = headline(part);
  CHECK(!some.bound);
  CHECK(some.incomplete == 1);
  // What is known of those that are here.
  CHECK(some.all.waiting_ns == 20 * 5 * us);
  CHECK(some.all.latest->first == 1);
  CHECK(!part.collectives[0].complete);
  CHECK(part.collectives[0].bandwidth->with_waiting);
}

TEST_CASE("without the size of a group, all ranks of the job decide") {
  CHECK(headline(two(CollectiveGroup::unknown).job(2)).bound == Bound::transfer);
  CHECK(headline(two(CollectiveGroup::unknown).job()).bound == Bound::transfer);
  CHECK(!headline(two(CollectiveGroup::unknown).job(3)).bound);
}

TEST_CASE("a group that is complete is judged though others are not") {
  Ranks ranks = two(2);
  for (int k = 0; k < 20; ++k) ranks.add("dp", {0, 1}, {0, 900 * us}, 10 * us, 4);
  const kr::job::Job job = ranks.job(4);
  const Headline found = headline(job);
  CHECK(found.bound == Bound::transfer);
  CHECK(found.groups == 1);
  CHECK(found.incomplete == 1);
  CHECK(found.all.waiting_ns == 20 * 5 * us);
}

TEST_CASE("members that send nothing are not missed") {
  Ranks ranks = two(2);
  ranks.add("pp", {0}, {0}, 10 * us, 4, CollectiveKind::send);
  CHECK(headline(ranks.job(2)).incomplete == 0);
}

TEST_CASE("a group that waits is not excused by one that is even") {
  Ranks ranks(4);
  for (int k = 0; k < 20; ++k) {
    ranks.add("a", {0, 1}, {0, 90 * us}, 10 * us, 2);
    ranks.add("b", {2, 3}, {0, 0}, 900 * us, 2);
  }
  const kr::job::Job job = ranks.job(4);
  const Headline found = headline(job);
  CHECK(!found.all.mostly());
  CHECK(found.bound == Bound::skew);
  CHECK(found.groups == 2);
  REQUIRE(found.group != nullptr);
  CHECK(found.group->name == "a");
  CHECK(found.of_group.latest->first == 1);
  CHECK(found.of_group.latest_last == 20);
  CHECK(found.others_waiting == 0);
}

TEST_CASE("of several groups that wait, the one that waits longest is named") {
  Ranks ranks(4);
  for (int k = 0; k < 20; ++k) {
    ranks.add("a", {0, 1}, {0, 90 * us}, 10 * us, 2);
    ranks.add("b", {2, 3}, {0, 190 * us}, 10 * us, 2);
  }
  const kr::job::Job job = ranks.job(4);
  const Headline found = headline(job);
  CHECK(found.group->name == "b");
  CHECK(&found.decided_by() == &found.of_group);
  CHECK(found.others_waiting == 1);
}

TEST_CASE("a group that takes less than a tenth of its members' time decides nothing") {
  Ranks ranks(2);
  for (int k = 0; k < 20; ++k) ranks.add("a", {0, 1}, {0, 0}, 1000 * us, 2);
  ranks.add("log", {0, 1}, {0, 900 * us}, 10 * us, 2);
  const kr::job::Job job = ranks.job(2);
  const Headline found = headline(job);
  CHECK(found.bound == Bound::transfer);
  REQUIRE(found.group != nullptr);
  CHECK(found.group->name == "a");
  CHECK(&found.decided_by() == &found.all);
  CHECK(found.others_waiting == 0);
}

TEST_CASE("no rank is named for what chance may do") {
  using kr::job::may_be_chance;
  constexpr auto wide = [](int64_t value) { return static_cast<double>(value); };
  // 32 collectives of 100 each: the deviation of a share is 0.43 / sqrt(32), and 3 of them 0.23.
  const double even = 32 * wide(100 * 100);
  CHECK(may_be_chance(4, 1500, 3200, even));
  CHECK(!may_be_chance(4, 1600, 3200, even));
  // All waiting is in one collective: whoever was last there is named.
  CHECK(!may_be_chance(4, 3000, 3200, wide(3000) * wide(3000)));
  CHECK(may_be_chance(4, 1900, 3200, wide(1900) * wide(1900) * 2));
  // Of two ranks one always has half.
  CHECK(may_be_chance(2, 2300, 3200, even));
  CHECK(!may_be_chance(2, 2500, 3200, even));
  CHECK(may_be_chance(1, 3200, 3200, even));
  CHECK(may_be_chance(4, 0, 0, 0));

  Ranks ranks(2);
  for (int k = 0; k < 20; ++k) {
    ranks.add("tp", {0, 1}, k % 2 == 0 ? std::vector{0 * us, 5 * us} : std::vector{5 * us, 0 * us},
              100 * us, 2);
  }
  const kr::job::Job job = ranks.job(2);
  CHECK(headline(job).all.chance);
  CHECK(job.collectives[0].waited_for() == nullptr);
  const kr::job::Job late = two(2).job(2);
  CHECK(!headline(late).all.chance);
  CHECK(late.collectives[0].waited_for()->run == 1);
}

}  // namespace kr_test_job_headline
