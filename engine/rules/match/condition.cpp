#include "match/condition.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <unordered_map>

namespace kr::match {

/// Sorts the expressions so that operands come first. It keeps its own stack, and visits each
/// shared expression once.
class Condition::Builder {
 public:
  Builder(const sema::Program& program, Condition& condition)
      : program_(program), condition_(condition) {}

  void build(sema::ExprId root) {
    std::vector<sema::ExprId> pending{through_own(root)};
    while (!pending.empty()) {
      const sema::ExprId id = pending.back();
      if (step_of_.contains(id)) {
        pending.pop_back();
        continue;
      }
      const size_t before = pending.size();
      for (const sema::ExprId operand : operands(id)) {
        if (!step_of_.contains(operand)) pending.push_back(operand);
      }
      if (pending.size() > before) continue;
      pending.pop_back();
      add(id);
    }
  }

 private:
  /// The steps that `id` needs: not the operand of a `within`, which is a separate Condition, and
  /// not the atoms of a disjunction, which are masks.
  std::vector<sema::ExprId> operands(sema::ExprId id) const {
    const sema::Expr& expr = program_.exprs.get(id);
    if (looks_around(expr.op)) return {};
    std::vector<sema::ExprId> operands = expr.operands;
    for (sema::ExprId& operand : operands) operand = through_own(operand);
    if (expr.op == sema::ExprOp::disjunction) {
      std::erase_if(operands, [this](sema::ExprId one) { return is_atom(one); });
    }
    return operands;
  }
  /// The atoms inside `own` say by themselves that they are of the own name.
  sema::ExprId through_own(sema::ExprId id) const {
    while (program_.exprs.get(id).op == sema::ExprOp::own) {
      id = program_.exprs.get(id).operands.front();
    }
    return id;
  }
  static bool looks_around(sema::ExprOp op) {
    return op == sema::ExprOp::within || op == sema::ExprOp::within_op || op == sema::ExprOp::op ||
           op == sema::ExprOp::phase;
  }
  bool is_atom(sema::ExprId id) const { return program_.exprs.get(id).op == sema::ExprOp::atom; }

  void add_masks(const sema::Expr& disjunction) {
    std::map<uint32_t, uint64_t> masks;
    for (const sema::ExprId written : disjunction.operands) {
      const sema::ExprId operand = through_own(written);
      if (!is_atom(operand)) continue;
      const uint32_t atom = program_.exprs.get(operand).atom.index;
      masks[atom / 64] |= uint64_t{1} << (atom % 64);
    }
    for (const auto& [word, atoms] : masks) condition_.masks_.push_back({word, atoms});
  }

  void add(sema::ExprId id) {
    const sema::Expr& expr = program_.exprs.get(id);
    Step step;
    step.op = expr.op;
    step.operation = expr.operation;
    if (expr.op == sema::ExprOp::atom) step.what = expr.atom.index;
    if (expr.op == sema::ExprOp::label) step.what = expr.word.index;
    if (looks_around(expr.op) && condition_.place_ == Place::subject) {
      step.what = static_cast<uint32_t>(condition_.enclosing_.size());
      Condition inner(Place::enclosing);
      if (!expr.operands.empty()) Builder(program_, inner).build(expr.operands.front());
      condition_.enclosing_.push_back(std::move(inner));
      condition_.marks_.push_back(expr.atom);
    }
    step.atoms_begin = static_cast<uint32_t>(condition_.masks_.size());
    if (expr.op == sema::ExprOp::disjunction) add_masks(expr);
    step.atoms_end = static_cast<uint32_t>(condition_.masks_.size());
    step.begin = static_cast<uint32_t>(condition_.operands_.size());
    for (const sema::ExprId operand : operands(id)) {
      condition_.operands_.push_back(step_of_.at(operand));
    }
    step.end = static_cast<uint32_t>(condition_.operands_.size());
    step_of_.emplace(id, static_cast<uint32_t>(condition_.steps_.size()));
    condition_.steps_.push_back(step);
  }

  const sema::Program& program_;
  Condition& condition_;
  std::unordered_map<sema::ExprId, uint32_t> step_of_;
};

Condition::Condition(const sema::Program& program, sema::ExprId expr)
    : beside_(program.marks.beside) {
  Builder(program, *this).build(expr);
}

Truth Condition::within(uint32_t number, const OpenSubject& subject) const {
  if (!subject.within) return Truth::unknown;
  const Condition& condition = enclosing_[number];
  const sema::AtomId mark = marks_[number];
  Truth found = Truth::no;
  for (const AtomSet& name : *subject.within) {
    if (mark.valid() ? !name.has(mark) : beside_.valid() && name.has(beside_)) continue;
    found =
        std::max(found, condition.evaluate({.name = &name, .kind = std::nullopt, .within = {}}));
    if (found == Truth::yes) break;
  }
  return subject.perhaps_within ? std::min(found, Truth::unknown) : found;
}

Truth Condition::value(const Step& step, const OpenSubject& subject,
                       std::span<const Truth> values) const {
  const auto truth = [](bool holds) { return holds ? Truth::yes : Truth::no; };
  const std::span<const uint32_t> operands(operands_.data() + step.begin, step.end - step.begin);
  switch (step.op) {
    case sema::ExprOp::atom:
      return truth(subject.name->has({step.what}));
    case sema::ExprOp::operation:
      if (place_ == Place::enclosing || subject.is_edge()) return Truth::no;
      return subject.kind ? truth(*subject.kind == step.operation) : Truth::unknown;
    case sema::ExprOp::within:
    case sema::ExprOp::within_op:
    case sema::ExprOp::op:
    case sema::ExprOp::phase:
      return place_ == Place::enclosing ? Truth::no : within(step.what, subject);
    case sema::ExprOp::own:
      break;  // see Builder
    case sema::ExprOp::label:
      return subject.word ? truth(subject.word->index == step.what) : Truth::unknown;
    case sema::ExprOp::negation:
      if (subject.is_edge()) return Truth::no;
      return static_cast<Truth>(2 - static_cast<int>(values[operands.front()]));
    case sema::ExprOp::conjunction: {
      Truth least = Truth::yes;
      for (const uint32_t operand : operands) least = std::min(least, values[operand]);
      return least;
    }
    case sema::ExprOp::disjunction: {
      const auto words = subject.name->words();
      for (uint32_t i = step.atoms_begin; i < step.atoms_end; ++i) {
        if ((words[masks_[i].word] & masks_[i].atoms) != 0) return Truth::yes;
      }
      Truth most = Truth::no;
      for (const uint32_t operand : operands) most = std::max(most, values[operand]);
      return most;
    }
  }
  return Truth::no;
}

void Condition::run(const OpenSubject& subject, std::span<Truth> values) const {
  for (size_t i = 0; i < steps_.size(); ++i) values[i] = value(steps_[i], subject, values);
}

Truth Condition::evaluate(const OpenSubject& subject) const {
  if (steps_.empty()) return Truth::yes;  // `phase` asks only for its mark
  std::array<Truth, 64> few;
  if (steps_.size() <= few.size()) {
    run(subject, few);
    return few[steps_.size() - 1];
  }
  std::vector<Truth> many(steps_.size());
  run(subject, many);
  return many.back();
}

bool Condition::holds(const Subject& subject) const {
  return evaluate({.name = subject.name,
                   .kind = subject.kind,
                   .within = subject.within,
                   .word = subject.word}) == Truth::yes;
}

std::optional<std::vector<sema::AtomId>> Condition::plain_atoms() const {
  std::vector<sema::AtomId> atoms;
  for (const Step& step : steps_) {
    if (step.op != sema::ExprOp::atom && step.op != sema::ExprOp::disjunction) return std::nullopt;
    if (step.op == sema::ExprOp::atom) atoms.push_back({step.what});
  }
  for (const Mask& mask : masks_) {
    for (uint64_t rest = mask.atoms; rest != 0; rest &= rest - 1) {
      atoms.push_back({64 * mask.word + static_cast<uint32_t>(std::countr_zero(rest))});
    }
  }
  return atoms;
}

}  // namespace kr::match
