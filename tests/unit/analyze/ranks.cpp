#include "analyze/ranks.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "analyze/activity.hpp"

namespace {

using From = kr::analyze::RankNumber::From;

kr::analyze::RunSummary run(std::string source, std::optional<int64_t> rank = {},
                            std::optional<int64_t> world_size = {}) {
  kr::analyze::RunSummary summary;
  summary.source = std::move(source);
  summary.distributed.rank = rank;
  summary.distributed.world_size = world_size;
  return summary;
}

using kr::analyze::AsJob;

kr::analyze::Ranks compared(const std::vector<kr::analyze::RunSummary>& runs,
                            AsJob as_job = AsJob::automatic) {
  std::vector<kr::analyze::RankInput> inputs;
  for (const kr::analyze::RunSummary& one : runs) inputs.push_back({&one, nullptr});
  return kr::analyze::compare_ranks(inputs, as_job);
}

std::string not_comparable(const std::vector<kr::analyze::RunSummary>& runs) {
  return compared(runs).not_comparable_reason;
}

const std::string in_order = " (`--job yes` numbers runs in their order)";

constexpr int64_t day_ns = int64_t{1'700'000'000} * 1'000'000'000;

/// Operations from `begin_ns` to `end_ns` of a day, on a clock that is 1,000 ns before UTC.
kr::analyze::RunSummary at(kr::analyze::RunSummary run, int64_t begin_ns, int64_t end_ns) {
  run.clock.utc_ns = day_ns + 1000;
  run.span_ns = end_ns - begin_ns;
  run.devices.push_back({{}, 0, begin_ns - 1000, ""});
  return run;
}

}  // namespace

TEST_CASE("ranks with places are numbered by them where their numbers repeat") {
  kr::analyze::RunSummary a = run("a.json", 0), b = run("b.json", 0);
  a.distributed.place.data = 1;
  b.distributed.place.data = 0;
  const auto numbers = kr::analyze::rank_numbers({{&a}, {&b}});
  CHECK(numbers[0] == kr::analyze::RankNumber{1, From::trace});
  CHECK(numbers[1] == kr::analyze::RankNumber{0, From::trace});
  b.distributed.rank = 5;
  CHECK(kr::analyze::rank_numbers({{&a}, {&b}})[1] == kr::analyze::RankNumber{5, From::trace});
}

TEST_CASE("a rank is that of the trace, else of its path, else the first unused number") {
  const kr::analyze::RunSummary a = run("rank5.json", 1), b = run("x.json"), c = run("y.json"),
                                d = run("rank2.json");
  const auto numbers = kr::analyze::rank_numbers({{&a}, {&b}, {&c}, {&d}});
  REQUIRE(numbers.size() == 4);
  CHECK(numbers[0] == kr::analyze::RankNumber{1, From::trace});
  CHECK(numbers[1] == kr::analyze::RankNumber{0, From::order});
  CHECK(numbers[2] == kr::analyze::RankNumber{3, From::order});
  CHECK(numbers[3] == kr::analyze::RankNumber{2, From::name});
}

TEST_CASE("runs of different worlds, or of one rank, are no ranks of one job") {
  CHECK(not_comparable({run("a", 0, 2), run("b", 1, 2)}).empty());
  CHECK(not_comparable({run("a", 0, 2), run("b", 1)}).empty());
  CHECK(not_comparable({run("a", 0, 2), run("b", 1, 8)}) == "a has a world size of 2, but b has 8");
  CHECK(not_comparable({run("a", 0), run("b", 1), run("c", 1)}) == "b and c are both rank 1");
  CHECK(not_comparable({run("a"), run("b", 0, 1)}) ==
        "b has a world size of 1, but there are 2 runs");
  CHECK(not_comparable({run("rank0.csv"), run("rank1.json"), run("x", 2)}).empty());
  CHECK(not_comparable({run("a", 0, 1)}).empty());
}

TEST_CASE("runs that tell no rank are a job only if they are of one file, or ran at one time") {
  CHECK(not_comparable({run("a"), run("b")}) == "nothing says which rank a is" + in_order);
  CHECK(not_comparable({run("a", 0), run("b")}) == "nothing says which rank b is" + in_order);
  auto member = run("merged (x)"), other = run("merged (y)");
  member.distributed.member = "x";
  other.distributed.member = "y";
  CHECK(not_comparable({member, other}).empty());
  CHECK(not_comparable({at(run("a"), 5, 10), at(run("a"), 5, 10)}) ==
        "nothing says which rank a is" + in_order);
  CHECK(not_comparable({at(run("a"), 5, 10), at(run("b"), 9, 20), at(run("c"), 7, 30)}).empty());
  CHECK(not_comparable({at(run("a"), 5, 10), at(run("b"), 10, 20)}) ==
        "nothing says which rank a is" + in_order);
  // So long ago that it is no date.
  CHECK(not_comparable({at(run("a"), 5 - day_ns, 10 - day_ns), at(run("b"), 9 - day_ns, 20)}) ==
        "nothing says which rank a is" + in_order);
  CHECK(not_comparable({at(run("a"), 5, 10), run("b")}) ==
        "nothing says which rank a is" + in_order);
}

TEST_CASE("runs that are an hour apart are not one job") {
  constexpr int64_t hour = int64_t{3600} * 1'000'000'000;
  const auto early = at(run("a", 0), 5, 10);
  CHECK(not_comparable({early, at(run("b", 1), 10 + hour - 1, 20 + hour)}).empty());
  CHECK(not_comparable({early, at(run("b", 1), 10 + hour, 20 + hour)}) ==
        "b begins more than an hour after a has ended");
  CHECK(not_comparable({at(run("b", 1), 10 + hour, 20 + hour), early, run("c", 2)}) ==
        "b begins more than an hour after a has ended");
}

TEST_CASE("a job may be forced or forbidden") {
  const auto forced = compared({run("a", 1), run("b", 1), run("c"), run("d", 0)}, AsJob::yes);
  CHECK(forced.not_comparable_reason.empty());
  CHECK(forced.forced_although == "a and b are both rank 1");
  CHECK(forced.runs[0].number == kr::analyze::RankNumber{1, From::trace});
  CHECK(forced.runs[1].number == kr::analyze::RankNumber{3, From::order});
  CHECK(forced.runs[2].number == kr::analyze::RankNumber{2, From::order});
  CHECK(forced.runs[3].number == kr::analyze::RankNumber{0, From::trace});
  CHECK(compared({run("a", 0), run("b", 1)}, AsJob::yes).forced_although.empty());
  CHECK(compared({run("a", 0), run("b", 1)}, AsJob::no).not_comparable_reason ==
        "that was requested");
  CHECK(compared({run("a", 0)}, AsJob::no).not_comparable_reason.empty());
  CHECK(kr::analyze::named_as_job("auto", "--job") == AsJob::automatic);
  CHECK_THROWS(kr::analyze::named_as_job("maybe", "--job"));
}

TEST_CASE("types of activity compared with each other") {
  kr::analyze::ActivityStatistics kernel{"kernel", 4, 40, 1, 20, {}};
  kernel.longest[2] = {10, 1, 0.5, 20};
  kr::analyze::ActivityStatistics runtime{"runtime", 2, 10, 1, 9, {}};
  const std::vector<kr::analyze::ActivityStatistics> one{kernel, runtime};
  kernel.total_ns = 20;
  kernel.longest[2].mean_ns = 5;
  const std::vector<kr::analyze::ActivityStatistics> other{kernel};
  const auto found = kr::analyze::compare_activity({&one, &other});
  REQUIRE(found.size() == 2);
  CHECK(found[0].run_b == 1);
  CHECK(found[0].type_a == "kernel");
  CHECK(found[0].all == 0.5);
  CHECK(!found[0].longest[0]);
  CHECK(found[0].longest[2] == 0.25);
  CHECK(found[1].run_b == 0);
  CHECK(found[1].type_a == "kernel");
  CHECK(found[1].type_b == "runtime");
  CHECK(found[1].all == 0.5);
  CHECK(!found[1].longest[2]);
}
