// Rules as formulas about one subject: its name matches an atom, it has a type of operation, an
// enclosing name matches something. One arena can contain formulas of several Programs, to compare
// two versions of a ruleset.
//
// Equal formulas have one id (hash-consing): equal ids prove equality; different ids prove nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/hash.hpp"
#include "sema/program.hpp"

namespace kr::prove {

struct FormulaTag;
using FormulaId = Id<FormulaTag>;
struct LanguageTag;
using LanguageId = Id<LanguageTag>;

enum class Op : uint8_t {
  never,
  always,
  atom,         // the name has a match of a language
  operation,    // the type of the subject
  within,       // one operand: some enclosing name matches it
  own,          // one operand: the function's own name in the name matches it
  negation,     // one operand
  conjunction,  // two or more operands, sorted, unique
  disjunction,  // two or more operands, sorted, unique
};

struct Formula {
  Op op = Op::never;
  LanguageId language = {};
  OperationKind operation = OperationKind::kernel;
  uint32_t around = 0;  // of `within`: what it looks at, see Formulas::around
  std::vector<FormulaId> operands = {};
  bool uses_within = false;     // contains `within`
  bool uses_own = false;        // contains `own`
  bool uses_operation = false;  // contains `@kernel` or another type, outside `within`
  /// A hash of the operations, the languages as written and the order of operands: the same formula
  /// has the same digest in every arena.
  Hash128 digest = {};
};

/// The value of a formula by the values of its operands; `other` gives those of the rest: atoms,
/// types of operation, `within` and `own`.
template <class Operand, class Other>
bool value_of(const Formula& formula, const Operand& operand, const Other& other) {
  switch (formula.op) {
    case Op::never:
      return false;
    case Op::always:
      return true;
    case Op::negation:
      return !operand(formula.operands.front());
    case Op::conjunction:
      return std::ranges::all_of(formula.operands, operand);
    case Op::disjunction:
      return std::ranges::any_of(formula.operands, operand);
    default:
      return other(formula);
  }
}

class Formulas {
 public:
  Formulas();

  FormulaId never() const { return {0}; }
  FormulaId always() const { return {1}; }
  FormulaId constant(bool value) const { return value ? always() : never(); }
  /// The name has a match of `regex`.
  FormulaId atom(regex::Regex regex);
  /// The same, without a copy: the Program of the atom must outlive the arena.
  FormulaId atom(const sema::Atom& atom);
  /// The same of a language of another arena, with which it is shared.
  FormulaId atom(const Formulas& from, LanguageId language);
  FormulaId atom(LanguageId language);
  FormulaId operation(OperationKind kind);
  FormulaId within(FormulaId inner) { return within(inner, ""); }
  /// The same of other things around the subject, each kind of which has a text: `op`,
  /// `phase decode`. Empty: nodes and ranges.
  FormulaId within(FormulaId inner, const std::string& around);
  const std::string& around(uint32_t number) const { return around_[number]; }
  /// `inner` contains neither `within` nor a type of operation.
  FormulaId own(FormulaId inner);
  FormulaId negation(FormulaId inner);
  FormulaId all(std::vector<FormulaId> operands);
  FormulaId any(std::vector<FormulaId> operands);
  /// A negation, a conjunction or a disjunction.
  FormulaId make(Op op, std::vector<FormulaId> operands);
  /// An expression of a Program; `never` if it is invalid. The Program must outlive the arena.
  FormulaId of(const sema::Program& program, sema::ExprId expr);

  const Formula& get(FormulaId id) const { return formulas_.get(id); }
  const regex::Regex& language(LanguageId id) const { return *languages_[id.index]; }
  size_t size() const { return formulas_.size(); }
  size_t languages() const { return languages_.size(); }

 private:
  FormulaId add(Formula formula);
  FormulaId join(Op op, std::vector<FormulaId> operands);
  /// `hyperscan` is the text of `regex`.
  FormulaId atom(std::shared_ptr<const regex::Regex> regex, const std::string& hyperscan);

  Store<Formula, FormulaTag> formulas_;
  std::vector<std::shared_ptr<const regex::Regex>> languages_;  // by LanguageId
  std::vector<Hash128> digests_;                                // by LanguageId
  std::unordered_map<std::string, FormulaId> known_;
  std::unordered_map<std::string, LanguageId> known_languages_;  // by to_hyperscan
  std::unordered_map<const sema::Program*, std::vector<FormulaId>> of_program_;
  std::vector<std::string> around_{""};
};

/// Replaces parts of formulas, from the outermost to the innermost; rewrites each part once.
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
