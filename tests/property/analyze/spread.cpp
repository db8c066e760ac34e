#include "analyze/spread.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "support/rounds.hpp"

namespace {

/// The same by sorting each group.
kr::analyze::Spread obvious_spread(std::vector<int64_t> values) {
  kr::analyze::Spread spread;
  for (const int64_t value : values) spread.moments.add(value);
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  if (values.empty()) return spread;
  spread.median = values.size() % 2 != 0 ? static_cast<double>(values[half])
                                         : static_cast<double>(values[half - 1] + values[half]) / 2;
  return spread;
}

}  // namespace

TEST_CASE("sums that exceed 64 bits are an error") {
  const auto each = [](const auto& add) {
    add(0, INT64_MAX);
    add(1, 1);
  };
  CHECK_THROWS_AS(kr::analyze::spreads(2, each), kr::Error);
}

TEST_CASE("spreads of groups are those of each group by itself") {
  std::mt19937_64 random(17);
  // The lower middle is that beside the upper, unsorted: found in round 3.
  for (uint64_t round = 0; round < kr::test::rounds(300, 3); ++round) {
    CAPTURE(round);
    const size_t groups = 1 + random() % 6;
    std::vector<std::pair<size_t, int64_t>> all(random() % 60);
    std::vector<std::vector<int64_t>> by_group(groups);
    for (auto& [group, value] : all) {
      group = random() % groups;
      value = static_cast<int64_t>(random() % (round % 2 == 0 ? 5 : 1'000'000'000));
      by_group[group].push_back(value);
    }
    const auto found = kr::analyze::spreads(groups, [&](const auto& add) {
      for (const auto& [group, value] : all) add(group, value);
    });
    REQUIRE(found.size() == groups);
    for (size_t i = 0; i < groups; ++i) {
      const kr::analyze::Spread want = obvious_spread(by_group[i]);
      CHECK(found[i].median == want.median);
      CHECK(found[i].moments.count == want.moments.count);
      CHECK(found[i].moments.sum == want.moments.sum);
      CHECK(found[i].moments.max == want.moments.max);
    }
  }
}
