// A question about names, of any form, brought down to plain ones.
//
// What is hard about a question is left out at first: negations within what is wanted, and
// conjunctions within what is excluded. A name found then may not be an answer; the question is
// split on the very part that it fails. Of all questions open, the one with the shortest name comes
// next, so that the first answer is a shortest one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prove/allowance.hpp"
#include "prove/automaton.hpp"
#include "prove/prover.hpp"

namespace kr::prove {

/// No kinds of operation, no `within`.
struct NameQuestion {
  FormulaId wanted;
  std::vector<FormulaId> excluded;
};

struct NameFinding {
  Answer answer = Answer::none;
  std::string name;  // where found
};

/// Opening a question takes so many steps. With fewer left it is given up.
constexpr size_t reserve = 8;

/// Every step taken is taken from `budget`. What comes of it depends on what is asked alone and, if
/// fewer than `reserve` steps are left in the end, on how many there were.
NameFinding find_name(const Formulas& formulas, const NameQuestion& question, Steps& budget);

}  // namespace kr::prove
