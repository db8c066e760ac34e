// Tests written in rulesets: run, and what they leave unreached.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "match/compiled_rules.hpp"

namespace kr {

/// One test for one model.
struct TestOutcome {
  struct Miss {
    DimensionId dimension;
    std::string expected;
    std::string actual;          // label given, or `unclassified`
    std::optional<RuleId> rule;  // that gave it; none: unclassified
    Span span;                   // of the expectation
  };
  size_t test = 0;  // index into Program::tests
  ModelId model;
  std::vector<Miss> misses;  // empty: passed
  bool passed() const noexcept { return misses.empty(); }
};

/// Every test of the Program, in its order, for every model it is for.
std::vector<TestOutcome> run_tests(const CompiledRules& rules);

}  // namespace kr
