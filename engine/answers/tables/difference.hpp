// What the tables of `kr diff` are made from.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "changes/compare.hpp"
#include "changes/gate.hpp"
#include "compare/moves.hpp"

namespace kr::tables {

/// A condition of `--fail-if`, and what it says of one phase, label or sum.
struct GateResult {
  changes::Gate gate;
  std::string of;  // the phase or label; empty: it is of a sum
  changes::Measured measured;
  changes::Outcome outcome = changes::Outcome::passed;
};

/// `kr diff` of runs.
struct RunPair {
  std::string a;  // what the two sides are called
  std::string b;
  changes::Comparison comparison;
  std::vector<GateResult> gates;
};

/// `kr diff` of two rulesets.
struct RulesDifference {
  /// A rule of one side; empty texts: no rule decides, or it is built in.
  struct Rule {
    std::string place;  // `mine.kr:12`
    std::string text;   // on one line
  };
  compare::RuleChanges changes;
  std::vector<std::pair<Rule, Rule>> rules;  // by move: those that decide for its witness
};

}  // namespace kr::tables
