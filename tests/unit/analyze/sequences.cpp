#include "analyze/sequences.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "support/labelled.hpp"
#include "support/rules.hpp"
#include "support/traces.hpp"

namespace {

/// The names of the sequences of a trace without a host trace.
std::string sequences_of(const std::vector<kr::test::Event>& events) {
  const kr::match::CompiledRules rules =
      kr::test::compile("engine e { substage { gemm: \"gemm\" misc: otherwise } }");
  const auto run = kr::test::label(rules, kr::test::make_trace(events));
  const auto summary = kr::analyze::summarize(rules, run->trace, run->labelled, std::nullopt);
  const auto facts =
      kr::test::facts_of<kr::analyze::StepSums, kr::analyze::Sequences>(rules, *run, summary);
  std::string text;
  for (const kr::analyze::Sequence& one : facts.get<kr::analyze::Sequences>().all) {
    text += kr::analyze::to_string(one.of);
    for (const uint32_t name : one.names) text += ' ' + summary.names[name].name;
    text += '\n';
  }
  return text;
}

}  // namespace

TEST_CASE("the median of times is a time, and no stray one") {
  CHECK(kr::analyze::median_place({5}) == 0);
  CHECK(kr::analyze::median_place({1, 90}) == 1);
  CHECK(kr::analyze::median_place({1, 90, 91}) == 1);
  CHECK(kr::analyze::median_place({90, 91, 92, 1}) == 1);
  CHECK(kr::analyze::median_place({7, 7, 7}) == 1);
}

TEST_CASE("the sequence of a run: the device with most operations, by start") {
  CHECK(sequences_of({{20, 5, "gemm_b"}, {0, 5, "a"}, {10, 5, "other", 1}, {40, 5, "a"}}) ==
        "run a gemm_b a\n");
  CHECK(sequences_of({}).empty());
}

TEST_CASE("a sequence has at most 2048 names") {
  std::vector<kr::test::Event> events;
  for (int64_t i = 0; i < 3000; ++i) events.push_back({10 * i, 5, i % 2 == 0 ? "a" : "b"});
  std::string text = sequences_of(events);
  CHECK(std::count(text.begin(), text.end(), ' ') >= 2048);
  CHECK(text.substr(text.find("run")).size() == 3 + 2 * kr::analyze::Sequence::max_places + 1);
}

TEST_CASE("layers that repeat are a sequence, without what precedes them") {
  std::vector<kr::test::Event> events{{0, 5, "embed"}};
  int64_t start = 0;
  for (int layer = 0; layer < 12; ++layer) {
    for (const char* name : {"norm", "gemm_1", "attn", "gemm_2"}) {
      events.push_back({start += 10, 5, name});
    }
  }
  const std::string text = sequences_of(events);
  CHECK(text.starts_with("layers norm gemm_1 attn gemm_2 norm "));
  CHECK(text.find("\nrun embed norm ") != text.npos);
}
