// What the tables of `kr diff` are made from.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "changes/compare.hpp"
#include "changes/gate.hpp"
#include "changes/trend.hpp"
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
  changes::Trend trend = {};  // run by run
};

/// `kr diff` of two rulesets.
struct RulesDifference {
  /// A rule of one side; empty texts: no rule decides, or it is built in.
  struct Rule {
    std::string place;  // `mine.kr:12`
    std::string text;   // on one line
  };
  /// A name that changes its label, in all models where the same rules decide for it.
  struct Name {
    std::string dimension;
    std::string from;
    std::string to;
    uint32_t name = 0;  // place in RuleChanges::names
    Rule before;
    Rule after;
    std::vector<std::string> models;  // `vllm/llama`
  };
  /// A side of a SettingChange.
  struct Said {
    std::string place;
    std::string text;  // on one line
  };
  compare::RuleChanges changes;
  std::vector<std::pair<Rule, Rule>> rules;  // by move: those that decide for its witness
  std::vector<Name> names;                   // in the order of the moves
  std::vector<std::pair<Said, Said>> said;   // by RuleChanges::settings

  /// What was compared, for people: `labels of substage, kind in 3 models (5,605 known names), …`.
  std::string compared() const;
};

}  // namespace kr::tables
