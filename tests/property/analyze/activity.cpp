// The longest operations of a type against all of them sorted.
#include "analyze/activity.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

#include "support/labelled.hpp"
#include "support/rounds.hpp"
#include "support/rules.hpp"
#include "support/traces.hpp"

TEST_CASE("the longest of a type are those of a sort, in any order and with equal values") {
  const kr::match::CompiledRules rules =
      kr::test::compile("engine e { substage { misc: otherwise } }");
  std::mt19937 random(41);
  // The longest are cut before they are sorted: found in round 7.
  for (uint64_t round = 0; round < kr::test::rounds(300, 7); ++round) {
    CAPTURE(round);
    const auto below = [&](int64_t limit) { return static_cast<int64_t>(random() % limit); };
    const int64_t longest = std::array<int64_t, 4>{1, 3, 50, 1'000'000}[below(4)];
    std::vector<int64_t> durations(static_cast<size_t>(1 + below(600)));
    for (int64_t& ns : durations) ns = below(longest);
    if (below(4) == 0) std::sort(durations.begin(), durations.end());
    std::vector<kr::test::Event> events;
    events.reserve(durations.size());
    int64_t start = 0;
    for (const int64_t ns : durations) events.push_back({++start, ns, "k"});
    const kr::analyze::Activity got = kr::analyze::activity_of(kr::test::make_trace(events));

    std::sort(durations.begin(), durations.end(), std::greater<>());
    REQUIRE(got.types.size() == 1);
    const kr::analyze::ActivityStatistics& all = got.types[0];
    CHECK(all.instances == static_cast<int64_t>(durations.size()));
    CHECK(all.total_ns == std::accumulate(durations.begin(), durations.end(), int64_t{0}));
    CHECK(all.max_ns == durations.front());
    CHECK(all.min_ns == durations.back());
    for (const kr::analyze::Longest& part : all.longest) {
      const size_t count = durations.size() * static_cast<size_t>(part.percent) / 100;
      const int64_t sum = std::accumulate(
          durations.begin(), durations.begin() + static_cast<std::ptrdiff_t>(count), int64_t{0});
      CHECK(part.instances == static_cast<int64_t>(count));
      CHECK(part.mean_ns ==
            (count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count)));
    }
  }
}
