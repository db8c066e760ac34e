// Searches for a name that matches some languages and none of others: breadth first over sets of
// automaton states, so the first name found is a shortest one. Sets that another set dominates are
// skipped.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prove/allowance.hpp"
#include "prove/automaton.hpp"

namespace kr::prove {

/// `wanted` contains only atoms, `&` and `|`, and no language of `excluded`.
struct PlainQuestion {
  FormulaId wanted;
  std::vector<uint32_t> excluded;
};

enum class Search : uint8_t { none, found, out_of_budget };

struct NameFound {
  Search search = Search::none;
  std::string name;  // if found; empty only if there is no other name
};

/// Subtracts all steps from `budget`.
NameFound search(const Formulas& formulas, const Automaton& automaton,
                 const PlainQuestion& question, Steps& budget);

}  // namespace kr::prove
