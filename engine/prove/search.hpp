// Searches for a name that matches some languages and none of others: breadth first over sets of
// automaton states, so the first name found is a shortest one. Sets that another set dominates are
// skipped.
#pragma once

#include <vector>

#include "prove/find_name.hpp"

namespace kr::prove {

/// `wanted` contains only atoms, `&` and `|`, and no language of `excluded`.
struct PlainQuestion {
  FormulaId wanted;
  std::vector<uint32_t> excluded;
};

/// Subtracts all steps from `budget`. The name is empty only if there is no other.
NameFinding search(const Formulas& formulas, const Automaton& automaton,
                   const PlainQuestion& question, Steps& budget);

}  // namespace kr::prove
