// The alternatives of an expression: what stands between its outermost `|`, those of a regular
// expression that is nothing but alternatives included.
#pragma once

#include <optional>
#include <vector>

#include "diag/diagnostic.hpp"
#include "prove/prover.hpp"

namespace kr::prove {

struct Alternative {
  FormulaId formula;
  source::Span place;
  /// What to take out for it to go; none where a comment or a parenthesis is in the way.
  std::optional<diag::Edit> cut;
};

/// One where the expression is no disjunction. A named pattern is one alternative: what it is made
/// of stands elsewhere. `place` is where the expression stands.
std::vector<Alternative> alternatives_of(Formulas& formulas, const sema::Program& program,
                                         const source::SourceMap& sources, sema::ExprId expr,
                                         source::Span place);

/// Whether `inner` lies in `outer`.
bool lies_in(source::Span inner, source::Span outer);

}  // namespace kr::prove
