// Compares order rules of two rulesets by meaning: whether operations of some sequence of names get
// other labels.
#pragma once

#include <optional>
#include <span>

#include "compare/compare.hpp"
#include "compare/order_letters.hpp"

namespace kr::compare {

struct OrderComparison {
  std::optional<Move> move;  // a shortest sequence that shows a change
  bool proven = true;        // false: without a move, there may be one
};

/// A side without the dimension has a table without rules. `over_moves` are the changes of the
/// dimension that both look at. Changes that only follow from these, as the order rules are the
/// same, are not shown again.
OrderComparison compare_order(prove::Prover& prover, const OrderSide& before,
                              const OrderSide& after, std::span<const Move> over_moves);

}  // namespace kr::compare
