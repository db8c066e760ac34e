// The alternatives of an expression: the operands of its outermost `|`, and the alternatives of a
// regular expression that consists only of alternatives.
#pragma once

#include <optional>
#include <vector>

#include "diag/diagnostic.hpp"
#include "prove/prover.hpp"

namespace kr::prove {

struct Alternative {
  FormulaId formula;
  source::Span place;
  /// The edit that removes it; none if a comment or a parenthesis prevents that.
  std::optional<diag::Edit> cut;
};

/// One alternative if the expression is not a disjunction. A named pattern is one alternative: its
/// parts are elsewhere. `place` is the place of the expression.
std::vector<Alternative> alternatives_of(Formulas& formulas, const sema::Program& program,
                                         const source::SourceMap& sources, sema::ExprId expr,
                                         source::Span place);

/// Whether `inner` is inside `outer`.
bool lies_in(source::Span inner, source::Span outer);

}  // namespace kr::prove
