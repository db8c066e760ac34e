// The rules of a dimension as a list of formulas for proofs.
//
// A rule of a `refine` matches where the rules below it give a label: as one formula that contains
// nearly all of them. Here each rule that gives the label follows those that refine it, with what
// both say. The list gives the same labels, its formulas are short, and most of them are the same
// on both sides of a comparison.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "compare/compare.hpp"
#include "prove/formula.hpp"

namespace kr::compare {

/// A list that always gives a label: the first whose formula is true. The last is true for all.
struct Side {
  std::vector<prove::FormulaId> formulas;
  std::vector<std::string_view> labels;
  std::unordered_map<prove::FormulaId, size_t> first;  // the first place of a formula
};

Side side_of(prove::Formulas& formulas, TableOf of);

}  // namespace kr::compare
