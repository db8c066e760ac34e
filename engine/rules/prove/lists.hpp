// The effective lists of rules: the tables and phases of every model, and the shared tables of root
// files. The alternatives of an expression: the operands of its outermost `|`, and the alternatives
// of a regular expression that consists only of alternatives.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diag/diagnostic.hpp"
#include "prove/prover.hpp"

namespace kr::prove {

struct RuleListed {
  sema::RuleId rule;
  FormulaId formula;
};

/// Rules in the order tried. Those of a `refine` are lists of their own.
struct EffectiveList {
  std::string whose;                   // `vllm/llama`, `table t`; several are separated by commas
  std::optional<sema::ModelId> model;  // the first model
  std::vector<RuleListed> rules;
  std::optional<sema::RuleId> otherwise;
  /// Of a `refine`: the names that do not have the label that it splits; invalid: no `refine`.
  FormulaId outside = {};
  sema::ExprId where = {};  // the other names

  /// The formulas of what the rule at a place does not get.
  std::vector<FormulaId> above(size_t place) const {
    std::vector<FormulaId> formulas;
    formulas.reserve(place + 1);
    if (outside.valid()) formulas.push_back(outside);
    for (size_t i = 0; i < place; ++i) formulas.push_back(rules[i].formula);
    return formulas;
  }
};

/// Equal lists appear once.
std::vector<EffectiveList> effective_lists(const sema::Program& program, Formulas& formulas);

struct Alternative {
  FormulaId formula;
  source::Span place;
  /// The edit that removes it; none if a comment or a parenthesis prevents that.
  std::optional<diag::Edit> cut;
};

/// One alternative if the expression is not a disjunction. A named pattern is one alternative: its
/// parts are elsewhere. `place` is the place of the expression.
std::vector<Alternative> alternatives_of(Formulas& formulas, const sema::Program& program,
                                         const source::SourceMap& sources, sema::ExprId expr,
                                         source::Span place);

/// Whether `inner` is inside `outer`.
bool lies_in(source::Span inner, source::Span outer);

}  // namespace kr::prove
