// The effective lists of rules: the tables and phases of every model, and the shared tables of root
// files.
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
  std::string whose;                   // `vllm/llama`, `table t`; several are separated by commas
  std::optional<sema::ModelId> model;  // the first model
  std::vector<RuleListed> rules;
  std::optional<sema::RuleId> otherwise;

  /// The formulas of the rules before a place.
  std::vector<FormulaId> above(size_t place) const {
    std::vector<FormulaId> formulas;
    formulas.reserve(place);
    for (size_t i = 0; i < place; ++i) formulas.push_back(rules[i].formula);
    return formulas;
  }
};

/// Equal lists appear once.
std::vector<EffectiveList> effective_lists(const sema::Program& program, Formulas& formulas);

}  // namespace kr::prove
