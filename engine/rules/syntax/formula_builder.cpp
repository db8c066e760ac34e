#include "syntax/formula_builder.hpp"

#include <algorithm>
#include <utility>

namespace kr::syntax {

FormulaId FormulaBuilder::add(Formula formula) {
  size_t depth = 1;
  for (const FormulaId operand : formula.operands) {
    depth = std::max(depth, depths_[operand.index] + 1);
  }
  deepest_ = std::max(deepest_, depth);
  last_ = formula.span;
  depths_.push_back(depth);
  return formulas_.add(std::move(formula));
}

FormulaId FormulaBuilder::join(FormulaKind kind, FormulaId left, FormulaId right) {
  const source::Span span = kr::source::join(formulas_.get(left).span, formulas_.get(right).span);
  return add({.kind = kind, .span = span, .operands = {left, right}});
}

FormulaId FormulaBuilder::whole(Frame& frame) {
  if (frame.sum.valid() && frame.product.valid()) {
    return join(frame.sum_sign == '-' ? FormulaKind::subtract : FormulaKind::add, frame.sum,
                frame.product);
  }
  return frame.product;
}

void FormulaBuilder::push(FormulaId operand) {
  Frame& here = frame();
  const char sign = std::exchange(here.pending, '\0');
  if (!here.product.valid()) {
    here.product = operand;
  } else if (sign == '*' || sign == '/') {
    const FormulaKind kind = sign == '*' ? FormulaKind::multiply : FormulaKind::divide;
    here.product = join(kind, here.product, operand);
  } else {
    here.sum = whole(here);
    here.product = operand;
    here.sum_sign = sign;
  }
}

void FormulaBuilder::comma() {
  Frame& here = frame();
  const FormulaId argument = whole(here);
  if (argument.valid()) here.arguments.push_back(argument);
  here.sum = here.product = {};
  here.pending = '\0';
}

void FormulaBuilder::close(source::Span paren) {
  comma();
  Frame closed = std::move(frames_.back());
  frames_.pop_back();
  const source::Span span = kr::source::join(closed.paren, paren);
  if (!closed.name.empty()) {
    push({.kind = FormulaKind::call,
          .span = span,
          .name = std::move(closed.name),
          .operands = std::move(closed.arguments)});
  } else if (!closed.arguments.empty()) {
    // Of `(a, b)` the parser reports the comma.
    formulas_.get(closed.arguments.front()).span = span;
    last_ = span;
    push(closed.arguments.front());
  }
}

void FormulaBuilder::index(source::Span span, int64_t value) {
  Frame& here = frame();
  if (!here.product.valid()) return;
  // The last operand is the product itself, or its right side.
  Formula& product = formulas_.get(here.product);
  const bool chain = product.kind == FormulaKind::multiply || product.kind == FormulaKind::divide;
  const FormulaId of = chain ? product.operands[1] : here.product;
  const FormulaId made = add({.kind = FormulaKind::index,
                              .span = kr::source::join(formulas_.get(of).span, span),
                              .value = value,
                              .operands = {of}});
  if (chain) {
    Formula& again = formulas_.get(here.product);
    again.operands[1] = made;
    again.span = kr::source::join(again.span, span);
  } else {
    here.product = made;
  }
}

FormulaId FormulaBuilder::finish() {
  while (in_parens()) close({last_.file, last_.end, last_.end});
  deepest_ = 0;
  return whole(frame());
}

}  // namespace kr::syntax
