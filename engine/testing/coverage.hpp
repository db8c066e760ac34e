// What the tests of a ruleset do not reach, with a test to paste for it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "prove/prover.hpp"
#include "testing/testing.hpp"

namespace kr {

/// A rule that labels no test's name, or an alternative of it that holds for none.
struct Unreached {
  RuleId rule;
  Span place;
  bool whole = false;  // the rule, not one alternative
  /// `test vllm/llama { "flash" => substage attn }`: it passes, and reaches the place. Empty where
  /// no subject does, or none was found.
  std::string test;
};

/// Rules of root files for engines and models, phases left out: tests do not speak of them.
struct Coverage {
  size_t rules = 0;
  size_t rules_reached = 0;
  size_t alternatives = 0;  // what stands between the outermost `|` of a rule; at least one a rule
  size_t alternatives_reached = 0;
  std::vector<Unreached> unreached;  // by place
};

/// `outcomes` are those of run_tests.
Coverage coverage_of(const CompiledRules& rules, std::span<const TestOutcome> outcomes);

}  // namespace kr
