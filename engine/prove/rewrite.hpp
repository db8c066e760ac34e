// Replaces parts of formulas, from the outermost to the innermost; rewrites each part once.
#pragma once

#include <unordered_map>
#include <vector>

#include "prove/formula.hpp"

namespace kr::prove {

/// `Replace` gets the id and the Formula of a part and returns its replacement, or an invalid id to
/// rewrite the operands of the part.
template <class Replace>
class Rewriter {
 public:
  Rewriter(Formulas& formulas, Replace replace)
      : formulas_(formulas), replace_(std::move(replace)) {}

  FormulaId operator()(FormulaId id) {
    const FormulaId replaced = replace_(id, formulas_.get(id));
    if (replaced.valid()) return replaced;
    const std::vector<FormulaId> operands = formulas_.get(id).operands;  // the arena grows below
    if (operands.empty()) return id;
    if (const auto known = known_.find(id); known != known_.end()) return known->second;
    work_ += operands.size();
    std::vector<FormulaId> rewritten;
    rewritten.reserve(operands.size());
    for (const FormulaId operand : operands) rewritten.push_back((*this)(operand));
    const FormulaId result =
        rewritten == operands ? id : formulas_.make(formulas_.get(id).op, std::move(rewritten));
    known_.emplace(id, result);
    return result;
  }

  /// The number of operands visited, which measures the time.
  size_t work() const { return work_; }

 private:
  Formulas& formulas_;
  Replace replace_;
  size_t work_ = 0;
  std::unordered_map<FormulaId, FormulaId> known_;
};

}  // namespace kr::prove
