#include "syntax/expr_builder.hpp"

namespace kr::syntax {

void ExprBuilder::begin() {
  operands_.clear();
  prefixes_.clear();
  frames_.assign(1, Frame{});
}

void ExprBuilder::open(source::Span paren) {
  frames_.push_back({paren, prefixes_.size(), 0, 0});
}

void ExprBuilder::prefix(ExprKind kind, source::Span span) {
  prefixes_.push_back({kind, span});
}

void ExprBuilder::atom(Expr expr) {
  push(exprs_.add(std::move(expr)));
}

void ExprBuilder::push(ExprId operand) {
  while (prefixes_.size() > frames_.back().prefixes) {
    const source::Span span = kr::source::join(prefixes_.back().span, exprs_.get(operand).span);
    operand = exprs_.add({.kind = prefixes_.back().kind, .span = span, .operands = {operand}});
    prefixes_.pop_back();
  }
  operands_.push_back(operand);
  ++frames_.back().conjunctions;
}

void ExprBuilder::join(ExprKind kind, size_t count) {
  if (count < 2) return;
  const auto first = operands_.end() - static_cast<std::ptrdiff_t>(count);
  const source::Span span =
      kr::source::join(exprs_.get(*first).span, exprs_.get(operands_.back()).span);
  const ExprId joined =
      exprs_.add({.kind = kind, .span = span, .operands = {first, operands_.end()}});
  operands_.erase(first, operands_.end());
  operands_.push_back(joined);
}

void ExprBuilder::disjunction() {
  Frame& frame = frames_.back();
  if (frame.conjunctions == 0) return;
  join(ExprKind::conjunction, frame.conjunctions);
  frame.conjunctions = 0;
  ++frame.disjunctions;
}

void ExprBuilder::end_disjunction() {
  disjunction();
  Frame& frame = frames_.back();
  join(ExprKind::disjunction, frame.disjunctions);
  frame.disjunctions = frame.disjunctions > 0 ? 1 : 0;
}

void ExprBuilder::close(source::Span paren) {
  end_disjunction();
  const Frame frame = frames_.back();
  frames_.pop_back();
  prefixes_.resize(std::min(prefixes_.size(), frame.prefixes), Prefix{});
  if (frame.disjunctions == 0) return;
  const ExprId inside = operands_.back();
  operands_.pop_back();
  Expr& expr = exprs_.get(inside);
  expr.grouped = true;
  expr.span = kr::source::join(frame.paren, paren);
  push(inside);
}

ExprId ExprBuilder::finish() {
  while (in_parens()) {
    // Not closed: the caller reports it. The group ends with its last operand.
    const source::Span end = operands_.empty() ? open_paren() : exprs_.get(operands_.back()).span;
    close(source::Span{end.file, end.end, end.end});
  }
  end_disjunction();
  return operands_.empty() ? ExprId{} : operands_.back();
}

}  // namespace kr::syntax
