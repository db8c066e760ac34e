// What `refine` makes of the effective rules of a dimension.
//
// A refinement of L applies where the table gives L. As an expression, that is a decision list: the
// rules in their order, true for those that give L. So a refined rule is a rule like any other for
// whoever matches, compares or proves, and it comes before the others.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/distinct_texts.hpp"
#include "sema/block.hpp"
#include "sema/expressions.hpp"

namespace kr::sema {

class Refiner {
 public:
  Refiner(Program& program, Expressions& expressions, const DistinctTexts& labels, Budget& budget,
          diag::Sink& sink)
      : program_(program),
        expressions_(expressions),
        labels_(labels),
        budget_(budget),
        sink_(sink) {}

  /// Puts the refined rules before those of the table. `whose`: where to report that it is too
  /// large. A refinement of a label that the table does not give is left out.
  void apply(const std::vector<Refinement>& refinements, Table& table, source::Span whose);

 private:
  struct Group;
  ExprId where_given(const Table& table, const std::string& label);

  Program& program_;
  Expressions& expressions_;
  const DistinctTexts& labels_;
  Budget& budget_;
  diag::Sink& sink_;
  std::set<const syntax::Rule*> reported_;
};

}  // namespace kr::sema
