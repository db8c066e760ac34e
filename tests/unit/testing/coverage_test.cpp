#include "testing/coverage.hpp"

#include <doctest/doctest.h>

#include "sema/load.hpp"

using namespace kr;

namespace {

struct Covered {
  match::CompiledRules rules;
  std::vector<testing::TestOutcome> outcomes;
  testing::Coverage coverage;
};

Covered cover(const std::string& text) {
  diag::Sink sink;
  Covered covered;
  covered.rules.rules = sema::load_rules({{"test.kr", text, true, {}}}, sink);
  CAPTURE(text);
  REQUIRE(!sink.has_errors());
  covered.rules.database = match::Database::compile(covered.rules.program(), std::nullopt);
  covered.outcomes = testing::run_tests(covered.rules);
  covered.coverage = testing::coverage_of(covered.rules, covered.outcomes);
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

TEST_CASE("unreached rules, each with a test that reaches it") {
  const Covered before = cover(rules);
  CHECK(before.coverage.rules == 10);
  CHECK(before.coverage.rules_reached == 0);
  CHECK(before.coverage.alternatives == 18);
  std::string pasted = rules;
  size_t without = 0;
  for (const testing::Unreached& one : before.coverage.unreached) {
    if (one.test.empty()) {
      ++without;
    } else {
      pasted += "test " + one.whose + " { " + one.test + " }\n";
    }
  }
  CHECK(without == 1);  // `flash_fwd` is taken by `flash`
  const Covered after = cover(pasted);
  CHECK(after.outcomes.size() == before.coverage.unreached.size() - 1);
  for (const testing::TestOutcome& outcome : after.outcomes) CHECK(outcome.passed());
  CHECK(after.coverage.rules_reached == 9);
  CHECK(after.coverage.alternatives_reached == 17);
  REQUIRE(after.coverage.unreached.size() == 1);
  CHECK(after.rules.sources().text(after.coverage.unreached[0].place) == "flash: \"flash_fwd\"");
}

TEST_CASE("a test reaches the rule that gives its label, and its matching alternatives") {
  const Covered covered = cover(std::string(rules) +
                                "test e { \"flash two\" => substage attn }\n"
                                "test e/m { \"gemm\" => substage gemm, stage b }\n");
  CHECK(covered.coverage.rules_reached == 3);
  CHECK(covered.coverage.alternatives_reached == 4);
}

TEST_CASE("alternatives of named patterns count once, at their place") {
  const std::string text = R"(pattern inner = /(a|b)x/ | "c"
pattern kernels = inner | "d" | ("e" | "f") & !"g"
pattern lone = "h"
pattern either = /i1|i2/
engine e {
  stage { a: kernels  b: either | lone }
  substage { a: "z" | kernels  b: inner & "y" }
}
)";
  const Covered before = cover(text);
  // By rules: 1 and 2, 2 and 1; of `kernels` 3, `inner` 2, `either` 2.
  CHECK(before.coverage.alternatives == 13);
  CHECK(before.coverage.unreached.size() == 13);
  const std::string tested = text + "test e { \"cy\" => stage a, substage a }\n";
  const Covered one = cover(tested);
  CHECK(one.coverage.rules_reached == 2);
  // Both rules of `a` by their use of `kernels`, which is reached by `inner`, and that by "c".
  CHECK(one.coverage.alternatives_reached == 4);
  std::string pasted = tested;
  for (const testing::Unreached& left : one.coverage.unreached) {
    CAPTURE(one.rules.sources().text(left.place));
    // All that `inner & "y"` could take is taken by `kernels`.
    CHECK(left.test.empty() == (one.rules.sources().text(left.place) == "b: inner & \"y\""));
    if (!left.test.empty()) pasted += "test " + left.whose + " { " + left.test + " }\n";
  }
  const Covered after = cover(pasted);
  for (const testing::TestOutcome& outcome : after.outcomes) CHECK(outcome.passed());
  CHECK(after.coverage.unreached.size() == 1);
}

TEST_CASE("order rules are reached by operations of which they decide the label") {
  const std::string order = R"(engine e {
  substage { gemm: "gemm"  attn: "flash"  other: otherwise }
  part over substage {
    a: attn > [gemm]
    b: gemm > [gemm]
    c: attn & "big" | gemm & "big"
    otherwise keep
  }
}
test e { "gemm" => substage gemm  "flash" => substage attn  "x" => substage other }
)";
  const Covered none = cover(order);
  CHECK(none.coverage.rules == 6);
  CHECK(none.coverage.rules_reached == 3);
  CHECK(none.coverage.alternatives == 6);
  REQUIRE(none.coverage.unreached.size() == 3);
  for (const testing::Unreached& one : none.coverage.unreached) {
    CHECK(one.whole);
    CHECK(one.test.empty());
  }
  const Covered some = cover(
      order + "test e { \"flash\" > \"gemm\" => part a > \"gemm\"  \"big_flash\" => part c }");
  CHECK(some.coverage.rules_reached == 5);
  CHECK(some.coverage.alternatives_reached == 5);
  // The operation of `b` is not checked.
  REQUIRE(some.coverage.unreached.size() == 1);
  CHECK(some.rules.program().rules.get(some.coverage.unreached[0].rule).label == "b");
}
