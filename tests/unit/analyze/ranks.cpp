#include "analyze/ranks.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

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

std::string not_comparable(const std::vector<kr::analyze::RunSummary>& runs) {
  std::vector<kr::analyze::RankInput> inputs;
  for (const kr::analyze::RunSummary& one : runs) inputs.push_back({&one, nullptr});
  return kr::analyze::compare_ranks(inputs).not_comparable_reason;
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
  CHECK(not_comparable({run("a"), run("b")}).empty());
  CHECK(not_comparable({run("a"), run("b", 0, 1)}) ==
        "b has a world size of 1, but there are 2 runs");
  CHECK(not_comparable({run("a", 0, 1)}).empty());
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
