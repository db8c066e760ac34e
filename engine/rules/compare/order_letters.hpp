// What order rules can tell of an operation, from the rules alone: their letters, each with a name.
//
// The rules see of an operation its label of the dimension that they look at, its name, and what
// encloses it. Labels exclude each other, and the prover knows which names have which label. So it
// finds every combination of answers that some operation gives, by splitting: each answer that a
// name does not decide is asked for both ways.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "order/prove.hpp"
#include "prove/memo.hpp"
#include "prove/prover.hpp"

namespace kr::compare {

/// The rules of an order dimension, and of the dimension that they look at.
struct OrderSide {
  const sema::Program* program = nullptr;
  const sema::OrderTable* table = nullptr;
  /// Null: any name can have any label, as in a table that no model has, or if that dimension has
  /// order rules, too.
  const sema::Table* over = nullptr;
};

/// Operations with these labels of the dimension that is looked at.
struct LabelledNames {
  std::vector<std::string> labels;  // by side; empty: one that its rules do not name
  prove::FormulaId wanted;
  std::vector<prove::FormulaId> excluded = {};
};

struct OrderLetter {
  std::vector<std::string> labels;  // as in LabelledNames
  prove::Witness name;              // a shortest one
};

struct OrderAlphabet {
  std::vector<OrderLetter> letters;
  /// By side, over these letters. Their rules are those of the table.
  std::vector<order::Block> blocks;
  /// False: the budget was exceeded, and there may be more letters.
  bool complete = true;
};

/// The labels that rules name, in the order written.
std::vector<std::string> labels_named(const OrderSide& side);

/// All operations, by label: those of `named`, on one side, and others.
std::vector<LabelledNames> all_operations(prove::Formulas& formulas, const OrderSide& side,
                                          std::span<const std::string> named);

/// The names that a table gives the label; if it is empty, those that have none of `named`.
prove::FormulaId names_with(prove::Formulas& formulas, const sema::Program& program,
                            const sema::Table& table, std::span<const std::string> named,
                            std::string_view label);

/// An expression of order rules for operations with a label.
prove::FormulaId formula_with_label(prove::Formulas& formulas, const sema::Program& program,
                                    sema::ExprId expr, std::string_view label);

/// Whether an expression matches `start` or `end`, where there is no name and no label.
bool holds_at_edge(const sema::Program& program, sema::ExprId expr, sema::WordId edge);

/// Earlier alphabets, and the allowance of the prover: a known one takes the same steps of it.
struct OrderMemo {
  prove::ProofMemo& proofs;
  prove::Allowance& allowance;
};

/// Throws prove::Stopped.
OrderAlphabet order_alphabet(prove::Prover& prover, std::span<const OrderSide> sides,
                             std::span<const LabelledNames> operations,
                             const std::optional<OrderMemo>& memo = {});

/// order::prove, or its result if it is known. The memo may be null.
std::vector<order::RuleProof> prove_order(const order::Block& block,
                                          const order::ProofBudget& budget, prove::ProofMemo* memo);

/// `"rms" > ["nvjet"] > "rope"`: names that give the sequence, with the operation in brackets.
/// A letter of which only the label is known is shown by it; `_`: any other operation.
std::string sequence_text(const OrderAlphabet& alphabet, const order::Witness& witness);

}  // namespace kr::compare
