// Answers a general question about names with plain questions (prove/search.hpp).
//
// At first it ignores the hard parts of a question: negations in what is wanted, and conjunctions
// in what is excluded. If the name found is not an answer, the question is split on the part that
// fails. The open question with the shortest name is next, so the first answer is a shortest one.
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
  std::string name;  // if found
};

/// The steps to open a question. With fewer steps left, it is abandoned.
constexpr size_t reserve = 8;

/// Subtracts all steps from `budget`. The result depends only on the question and, if fewer than
/// `reserve` steps are left at the end, on the budget.
NameFinding find_name(const Formulas& formulas, const NameQuestion& question, Steps& budget);

}  // namespace kr::prove
