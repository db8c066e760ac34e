// What the tests of a ruleset do not reach, with a test to paste for it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "prove/prover.hpp"
#include "testing/testing.hpp"

namespace kr::testing {

/// A rule that labels no test's name, or an alternative of it that holds for none.
struct Unreached {
  sema::RuleId rule;  // of an alternative of a named pattern: one that uses it
  source::Span place;
  bool whole = false;  // the rule, not one alternative
  /// A test that passes, and reaches the place: of which engine and model (`vllm/llama`), and its
  /// line (`"flash" => substage attn`). Empty where no subject reaches it, or none was found.
  std::string whose;
  std::string test;
};

/// Rules of root files for engines and models, phases left out: tests do not speak of them.
///
/// An alternative is what stands between the outermost `|` of a rule; at least one a rule. What so
/// stands in a named pattern of a root file counts too where a rule or alternative is that pattern:
/// once, however many rules use it, and any of them may reach it.
struct Coverage {
  size_t rules = 0;
  size_t rules_reached = 0;
  size_t alternatives = 0;
  size_t alternatives_reached = 0;
  std::vector<Unreached> unreached;  // by place
};

/// `outcomes` are those of run_tests.
Coverage coverage_of(const match::CompiledRules& rules, std::span<const TestOutcome> outcomes);

}  // namespace kr::testing
