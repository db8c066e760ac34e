// Finds rules that no test of a ruleset reaches, and suggests tests.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "prove/prover.hpp"
#include "testing/testing.hpp"

namespace kr::testing {

/// A rule that labels no name of a test, or an alternative that matches none.
struct Unreached {
  sema::RuleId rule;  // for an alternative of a named pattern: a rule that uses it
  source::Span place;
  bool whole = false;  // the rule, not one alternative
  /// A passing test that reaches the place: its engine and model (`vllm/llama`), and its line
  /// (`"flash" => substage attn`). Empty if no subject reaches it or none was found.
  std::string whose;
  std::string test;
  bool is_real = false;  // its name is one of those that coverage_of was given
};

/// A name of an operation of a run.
struct RealName {
  std::string name;
  OperationKind kind = OperationKind::kernel;
};

/// Covers rules of root files for engines and models, without phases: tests cannot test those.
/// Order rules are covered by operations of which they decide the label; no test is suggested.
///
/// Alternatives are the operands of the outermost `|` of a rule; each rule has at least one. If a
/// rule or alternative is a named pattern of a root file, the alternatives of the pattern count
/// too: once, even if several rules use it, and any of these rules can reach it.
struct Coverage {
  size_t rules = 0;
  size_t rules_reached = 0;
  size_t alternatives = 0;
  size_t alternatives_reached = 0;
  std::vector<Unreached> unreached;  // by place
};

/// `outcomes` are from run_tests. Tests with `real` names, the first that fits, are preferred to
/// those with invented ones.
Coverage coverage_of(const match::CompiledRules& rules, std::span<const TestOutcome> outcomes,
                     std::span<const RealName> real = {});

}  // namespace kr::testing
