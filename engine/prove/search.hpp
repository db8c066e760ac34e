// The search for a name: breadth first over sets of automaton states, so that the first name found
// is a shortest one, with sets left out that another set is at least as good as.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "prove/automaton.hpp"
#include "prove/prover.hpp"

namespace kr::prove {

/// A question about names alone: no kinds of operation, no `within`.
struct NameQuestion {
  FormulaId wanted;
  std::vector<FormulaId> excluded;
};

struct NameFinding {
  Answer answer = Answer::none;
  std::string name;  // where found
};

/// `states` is what is left of the budget, and is used up.
NameFinding find_name(Formulas& formulas, const Automaton& automaton, NameQuestion question,
                      size_t& states);

}  // namespace kr::prove
