// Builds the formula of a cost from its flat sequence of numbers, names, operators, calls and
// parentheses: `*` and `/` bind tighter than `+` and `-`, and all of them to the left.
#pragma once

#include <string>
#include <vector>

#include "syntax/ast.hpp"

namespace kr::syntax {

class FormulaBuilder {
 public:
  using Formulas = Store<Formula, FormulaTag>;
  explicit FormulaBuilder(Formulas& formulas) : formulas_(formulas) {}

  void begin() {
    frames_.assign(1, Frame{});
    deepest_ = 0;
  }
  void value(Formula formula) { push(std::move(formula)); }
  void open(source::Span paren) { frames_.push_back({.paren = paren}); }
  /// `span`: the name and its parenthesis.
  void call(source::Span span, std::string name) {
    frames_.push_back({.paren = span, .name = std::move(name)});
  }
  void comma();
  void close(source::Span paren);
  void index(source::Span span, int64_t value);
  void operation(char sign) { frame().pending = sign; }
  /// Closes what is open. Invalid if there is no operand.
  FormulaId finish();

  bool in_parens() const { return frames_.size() > 1; }
  source::Span open_paren() const { return frames_.back().paren; }
  size_t depth() const { return frames_.size() + deepest_; }
  /// Where the last operand ends; a span of no file before the first.
  source::Span last() const { return last_; }

 private:
  /// A parenthesis: the sums and products in it that wait for their right operands.
  struct Frame {
    source::Span paren = {};
    std::string name = {};                  // of a call
    std::vector<FormulaId> arguments = {};  // before the last comma
    FormulaId sum = {};
    FormulaId product = {};
    char pending = 0;   // the operator before the next operand
    char sum_sign = 0;  // the operator between sum and product
  };
  Frame& frame() { return frames_.back(); }
  void push(Formula formula) { push(add(std::move(formula))); }
  void push(FormulaId operand);
  FormulaId add(Formula formula);
  FormulaId join(FormulaKind kind, FormulaId left, FormulaId right);
  FormulaId whole(Frame& frame);

  Formulas& formulas_;
  std::vector<Frame> frames_{Frame{}};
  std::vector<size_t> depths_;  // by formula of the store
  size_t deepest_ = 0;          // of the formula being built
  source::Span last_ = {};
};

}  // namespace kr::syntax
