#include "analyze/repeats.hpp"

#include <doctest/doctest.h>

#include "support/labelled.hpp"
#include "support/rules.hpp"
#include "support/traces.hpp"

namespace {

using kr::analyze::BlockRepeat;

std::vector<BlockRepeat> repeats_of(const std::vector<kr::test::Event>& events) {
  const kr::match::CompiledRules rules =
      kr::test::compile("engine e { substage { a: otherwise } }");
  const auto run = kr::test::label(rules, kr::test::make_trace(events));
  return kr::analyze::find_repeats(run->trace, run->attribution(rules));
}

/// `layers` layers of four kernels of 5 ns, 10 ns apart, with 7 ns after each.
void add_layers(int32_t device, int64_t layers, std::vector<kr::test::Event>& events) {
  int64_t start = 100;
  for (int64_t layer = 0; layer < layers; ++layer) {
    for (const char* name : {"norm", "gemm_1", "attn", "gemm_2"}) {
      events.push_back({start, 5, name, device});
      start += 10;
    }
    start += 7;
  }
}

}  // namespace

TEST_CASE("repeats of the block with most of the time, on all devices") {
  std::vector<kr::test::Event> events{{0, 5, "embed"}};
  add_layers(0, 12, events);
  add_layers(1, 9, events);
  const std::vector<BlockRepeat> repeats = repeats_of(events);
  REQUIRE(repeats.size() == 21);
  size_t last = 0;
  for (const BlockRepeat& one : repeats) {
    CHECK(one.period == 4);
    CHECK(one.total_ns == 20);
    CHECK(one.busy_ns == 20);
    if (one.wall_ns) CHECK(*one.wall_ns == 47);
    last += one.wall_ns ? 0 : 1;
  }
  CHECK(last == 2);
  CHECK(repeats[0].start_ns == 100);
  CHECK(repeats[2].start_ns == 147);
}

TEST_CASE("a block without half of the time is none") {
  std::vector<kr::test::Event> events{{5'000, 2'000, "embed"}};
  add_layers(0, 12, events);
  CHECK(repeats_of(events).empty());
}
