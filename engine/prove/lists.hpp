// The lists of rules that subjects go down: the tables and phases of every model, and the shared
// tables of root files by themselves.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prove/prover.hpp"

namespace kr::prove {

struct RuleListed {
  sema::RuleId rule;
  FormulaId formula;
};

struct EffectiveList {
  std::string whose;                   // `vllm/llama`, `table t`; of several with commas between
  std::optional<sema::ModelId> model;  // the first of them
  std::vector<RuleListed> rules;
  std::optional<sema::RuleId> otherwise;

  /// The formulas above a place.
  std::vector<FormulaId> above(size_t place) const {
    std::vector<FormulaId> formulas;
    formulas.reserve(place);
    for (size_t i = 0; i < place; ++i) formulas.push_back(rules[i].formula);
    return formulas;
  }
};

/// Equal ones once.
std::vector<EffectiveList> effective_lists(const sema::Program& program, Formulas& formulas);

}  // namespace kr::prove
