// Nests the flat sequence of prefixes, atoms, parentheses and operators that the grammar produces.
// `!` and `within` bind tighter than `&`, which binds tighter than `|`. It keeps its own stacks, so
// a deep expression cannot overflow the stack of the process.
#pragma once

#include <vector>

#include "syntax/ast.hpp"

namespace kr::syntax {

class ExprBuilder {
 public:
  using Exprs = Store<Expr, ExprTag>;
  explicit ExprBuilder(Exprs& exprs) : exprs_(exprs) {}

  void begin();
  /// Prefixes; they increase depth().
  void open(source::Span paren);
  void prefix(ExprKind kind, source::Span span);
  /// An operand. It consumes the prefixes before it.
  void atom(Expr expr);
  void close(source::Span paren);
  /// `|` between two operands. `&` has no method: adjacent operands are joined by it.
  void disjunction();
  /// Closes open parentheses and returns the whole expression; invalid if there is no operand.
  ExprId finish();

  size_t depth() const { return frames_.size() - 1 + prefixes_.size(); }
  bool in_parens() const { return frames_.size() > 1; }
  /// The last parenthesis opened.
  source::Span open_paren() const { return frames_.back().paren; }
  /// The last operand; invalid before the first.
  ExprId last_id() const { return operands_.empty() ? ExprId{} : operands_.back(); }
  /// The same; null before the first.
  const Expr* last() const { return operands_.empty() ? nullptr : &exprs_.get(operands_.back()); }
  /// The last operand was part of a mistake: `instead` takes its place.
  void replace_last(Expr instead) {
    if (!operands_.empty()) exprs_.get(operands_.back()) = std::move(instead);
  }

 private:
  struct Frame {
    source::Span paren;
    size_t prefixes = 0;      // size of prefixes_ when it was opened
    size_t conjunctions = 0;  // operands to be joined by &
    size_t disjunctions = 0;  // operands to be joined by |
  };
  struct Prefix {
    ExprKind kind;
    source::Span span;
  };
  void push(ExprId operand);
  void join(ExprKind kind, size_t count);
  void end_disjunction();

  Exprs& exprs_;
  std::vector<ExprId> operands_;
  std::vector<Prefix> prefixes_;
  std::vector<Frame> frames_{Frame{}};
};

}  // namespace kr::syntax
