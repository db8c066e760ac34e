// The search for a name that holds some languages and none of others: breadth first over sets of
// automaton states, so that the first name found is a shortest one, with sets left out that another
// set is at least as good as.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prove/allowance.hpp"
#include "prove/automaton.hpp"

namespace kr::prove {

/// `wanted` is made of atoms, `&` and `|` alone. A language of `excluded` is not in it.
struct PlainQuestion {
  FormulaId wanted;
  std::vector<uint32_t> excluded;
};

enum class Search : uint8_t { none, found, out_of_budget };

struct NameFound {
  Search search = Search::none;
  std::string name;  // where found; empty only where no other name will do
};

/// Every step taken is taken from `budget`.
NameFound search(const Formulas& formulas, const Automaton& automaton,
                 const PlainQuestion& question, Steps& budget);

}  // namespace kr::prove
