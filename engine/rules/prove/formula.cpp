#include "prove/formula.hpp"

#include <algorithm>

namespace kr::prove {

Formulas::Formulas() {
  add({.op = Op::never});
  add({.op = Op::always});
}

FormulaId Formulas::add(Formula formula) {
  std::string key(1, static_cast<char>(formula.op));
  const auto append = [&key](uint32_t number) {
    key.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  append(formula.language.index);
  append(static_cast<uint32_t>(formula.operation));
  append(formula.around);
  for (const FormulaId operand : formula.operands) append(operand.index);
  const auto [at, added] = known_.emplace(std::move(key), FormulaId{});
  if (!added) return at->second;
  for (const FormulaId operand : formula.operands) {
    formula.uses_within |= get(operand).uses_within;
    formula.uses_own |= get(operand).uses_own;
    formula.uses_operation |= get(operand).uses_operation;
  }
  if (formula.op == Op::within) {
    formula.uses_within = true;
    formula.uses_operation = false;
  }
  formula.uses_own |= formula.op == Op::own;
  formula.uses_operation |= formula.op == Op::operation;
  formula.digest.add(static_cast<uint64_t>(formula.op));
  formula.digest.add(static_cast<uint64_t>(formula.operation));
  if (formula.around != 0) formula.digest.add(hash128(around_[formula.around]));
  if (formula.op == Op::atom) formula.digest.add(digests_[formula.language.index]);
  formula.digest.add(formula.operands.size());
  for (const FormulaId operand : formula.operands) formula.digest.add(get(operand).digest);
  at->second = formulas_.add(std::move(formula));
  return at->second;
}

FormulaId Formulas::atom(std::shared_ptr<const regex::Regex> regex, const std::string& hyperscan) {
  if (regex::vacuity(*regex) == regex::Vacuity::always) return always();
  const auto [at, added] = known_languages_.emplace(hyperscan, LanguageId{});
  if (added) {
    at->second = {static_cast<uint32_t>(languages_.size())};
    languages_.push_back(std::move(regex));
    digests_.push_back(hash128(hyperscan));
  }
  return atom(at->second);
}

FormulaId Formulas::atom(regex::Regex regex) {
  const std::string hyperscan = regex::to_hyperscan(regex);
  return atom(std::make_shared<const regex::Regex>(std::move(regex)), hyperscan);
}

FormulaId Formulas::atom(const sema::Atom& atom) {
  // Shares no ownership.
  return this->atom(std::shared_ptr<const regex::Regex>(std::shared_ptr<void>(), &atom.regex),
                    atom.hyperscan);
}

FormulaId Formulas::atom(const Formulas& from, LanguageId language) {
  const auto& regex = from.languages_[language.index];
  return atom(regex, regex::to_hyperscan(*regex));
}

FormulaId Formulas::atom(LanguageId language) {
  return add({.op = Op::atom, .language = language});
}

FormulaId Formulas::operation(OperationKind kind) {
  return add({.op = Op::operation, .operation = kind});
}

FormulaId Formulas::within(FormulaId inner, const std::string& around) {
  if (inner == never()) return never();
  auto at = std::ranges::find(around_, around);
  if (at == around_.end()) at = around_.insert(at, around);
  return add({.op = Op::within,
              .around = static_cast<uint32_t>(at - around_.begin()),
              .operands = {inner}});
}

FormulaId Formulas::own(FormulaId inner) {
  if (inner == never() || inner == always() || get(inner).op == Op::own) return inner;
  if (get(inner).op == Op::negation) return negation(own(get(inner).operands.front()));
  return add({.op = Op::own, .operands = {inner}});
}

FormulaId Formulas::negation(FormulaId inner) {
  if (inner == never()) return always();
  if (inner == always()) return never();
  if (get(inner).op == Op::negation) return get(inner).operands.front();
  return add({.op = Op::negation, .operands = {inner}});
}

FormulaId Formulas::join(Op op, std::vector<FormulaId> operands) {
  const FormulaId neutral = constant(op == Op::conjunction);
  const FormulaId absorbing = constant(op == Op::disjunction);
  for (size_t i = 0; i < operands.size();) {
    const FormulaId operand = operands[i];
    if (operand == absorbing) return absorbing;
    const bool nested = get(operand).op == op;
    if (!nested && operand != neutral) {
      ++i;
      continue;
    }
    operands[i] = operands.back();
    operands.pop_back();
    if (!nested) continue;
    const std::vector<FormulaId>& inner = get(operand).operands;
    operands.insert(operands.end(), inner.begin(), inner.end());
  }
  std::ranges::sort(operands);
  operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
  for (const FormulaId operand : operands) {
    const Formula& one = get(operand);
    if (one.op == Op::negation && std::ranges::binary_search(operands, one.operands.front())) {
      return absorbing;
    }
  }
  if (operands.empty()) return neutral;
  if (operands.size() == 1) return operands.front();
  return add({.op = op, .operands = std::move(operands)});
}

FormulaId Formulas::all(std::vector<FormulaId> operands) {
  return join(Op::conjunction, std::move(operands));
}

FormulaId Formulas::any(std::vector<FormulaId> operands) {
  return join(Op::disjunction, std::move(operands));
}

FormulaId Formulas::make(Op op, std::vector<FormulaId> operands) {
  if (op == Op::negation) return negation(operands.front());
  KR_CHECK(op == Op::conjunction || op == Op::disjunction);
  return join(op, std::move(operands));
}

// The recursion is bounded by max_expr_depth, and visits each shared expression once.
FormulaId Formulas::of(const sema::Program& program, sema::ExprId expr) {
  if (!expr.valid()) return never();
  std::vector<FormulaId>& known = of_program_[&program];
  known.resize(program.exprs.size());
  if (known[expr.index].valid()) return known[expr.index];
  const sema::Expr& written = program.exprs.get(expr);
  std::vector<FormulaId> operands;
  operands.reserve(written.operands.size());
  for (const sema::ExprId operand : written.operands) operands.push_back(of(program, operand));
  FormulaId formula;
  switch (written.op) {
    case sema::ExprOp::atom:
      formula = atom(program.atoms.get(written.atom));
      break;
    case sema::ExprOp::operation:
      formula = operation(written.operation);
      break;
    case sema::ExprOp::within:
      formula = within(operands.front());
      break;
    case sema::ExprOp::within_op:
      formula = within(operands.front(), "op");
      break;
    case sema::ExprOp::op: {
      // The innermost op is one that encloses the operation.
      const std::string& mark = program.atoms.get(written.atom).source;
      std::vector<FormulaId> all{within(operands.front(), "op"),
                                 within(operands.front(), "innermost op")};
      if (mark != "innermost op") all.push_back(within(operands.front(), mark));
      formula = this->all(std::move(all));
      break;
    }
    case sema::ExprOp::phase:
      formula = within(always(), program.atoms.get(written.atom).source);
      break;
    case sema::ExprOp::own:
      formula = own(operands.front());
      break;
    case sema::ExprOp::label:
      formula = never();  // a name alone has no label: see sema::Model::order_tables
      break;
    case sema::ExprOp::negation:
      formula = negation(operands.front());
      break;
    case sema::ExprOp::conjunction:
      formula = all(std::move(operands));
      break;
    case sema::ExprOp::disjunction:
      formula = any(std::move(operands));
      break;
  }
  of_program_[&program][expr.index] = formula;
  return formula;
}

}  // namespace kr::prove
