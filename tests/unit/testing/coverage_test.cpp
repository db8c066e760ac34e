#include "testing/coverage.hpp"

#include <doctest/doctest.h>

#include "sema/load.hpp"

using namespace kr;

namespace {

struct Covered {
  CompiledRules rules;
  std::vector<TestOutcome> outcomes;
  Coverage coverage;
};

Covered cover(const std::string& text) {
  Sink sink;
  Covered covered;
  covered.rules.rules = load_rules({{"test.kr", text, true, {}}}, sink);
  CAPTURE(text);
  REQUIRE(!sink.has_errors());
  covered.rules.database = Database::compile(covered.rules.program(), std::nullopt);
  covered.outcomes = run_tests(covered.rules);
  covered.coverage = coverage_of(covered.rules, covered.outcomes);
  return covered;
}

constexpr const char* rules = R"(engine e {
  stage { a: "q\"\\" | "\x01" | /(x|y)z/ | "tail"$  b: otherwise }
  substage {
    attn: "flash" | "fmha" & !@memcpy | /mla_(a|b)/ | ("one" | "two")
    copy: @memcpy
    fused: "x" & within "MoE" & !within "MoELayer"
    flash: "flash_fwd"
    "odd label": "odd"
    otherwise keep
  }
  model m { substage { gemm: "gemm" | "nvjet"  fmha: "fmha" } }
}
)";

}  // namespace

TEST_CASE("what no test reaches, with a test that does") {
  const Covered before = cover(rules);
  CHECK(before.coverage.rules == 10);
  CHECK(before.coverage.rules_reached == 0);
  CHECK(before.coverage.alternatives == 18);
  std::string pasted = rules;
  size_t without = 0;
  for (const Unreached& one : before.coverage.unreached) {
    if (one.test.empty()) ++without;
    pasted += one.test + "\n";
  }
  CHECK(without == 1);  // `flash_fwd` is taken by `flash`
  const Covered after = cover(pasted);
  CHECK(after.outcomes.size() == before.coverage.unreached.size() - 1);
  for (const TestOutcome& outcome : after.outcomes) CHECK(outcome.passed());
  CHECK(after.coverage.rules_reached == 9);
  CHECK(after.coverage.alternatives_reached == 17);
  REQUIRE(after.coverage.unreached.size() == 1);
  CHECK(after.rules.sources().text(after.coverage.unreached[0].place) == "flash: \"flash_fwd\"");
}

TEST_CASE("a test reaches the rule that gives its label, and the alternatives that hold") {
  const Covered covered = cover(std::string(rules) +
                                "test e { \"flash two\" => substage attn }\n"
                                "test e/m { \"gemm\" => substage gemm, stage b }\n");
  CHECK(covered.coverage.rules_reached == 3);
  CHECK(covered.coverage.alternatives_reached == 4);
}
