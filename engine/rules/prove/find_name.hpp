// Answers a general question about names with plain questions (search).
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

/// `wanted` contains only atoms, `&` and `|`, and no language of `excluded`.
struct PlainQuestion {
  FormulaId wanted;
  std::vector<uint32_t> excluded;
};

/// A name that matches some languages and none of others: breadth first over sets of automaton
/// states, so the first name found is a shortest one. Sets that another set dominates are skipped.
/// Subtracts all steps from `budget`. The name is empty only if there is no other.
NameFinding search(const Formulas& formulas, const Automaton& automaton,
                   const PlainQuestion& question, Steps& budget);

}  // namespace kr::prove
