// Nests the flat run of prefixes, atoms, parentheses and operators that the grammar reads: `!` and
// `within` over `&` over `|`. Keeps its own stacks, so that depth costs no stack of the process.
#pragma once

#include <vector>

#include "syntax/ast.hpp"

namespace kr::syntax {

class ExprBuilder {
 public:
  using Exprs = Store<Expr, ExprTag>;
  explicit ExprBuilder(Exprs& exprs) : exprs_(exprs) {}

  void begin();
  /// Prefixes; the nesting that results is in depth().
  void open(source::Span paren);
  void prefix(ExprKind kind, source::Span span);
  /// A whole operand: takes the prefixes before it.
  void atom(Expr expr);
  void close(source::Span paren);
  /// `|` between two operands. `&` needs no word: operands side by side are joined by it.
  void disjunction();
  /// Closes what is open and returns the whole; invalid where there is no operand.
  ExprId finish();

  size_t depth() const { return frames_.size() - 1 + prefixes_.size(); }
  bool in_parens() const { return frames_.size() > 1; }
  /// The parenthesis opened last.
  source::Span open_paren() const { return frames_.back().paren; }
  /// The operand read last; invalid before the first.
  const Expr* last() const { return operands_.empty() ? nullptr : &exprs_.get(operands_.back()); }

 private:
  struct Frame {
    source::Span paren;
    size_t prefixes = 0;      // of prefixes_, what belongs to frames outside
    size_t conjunctions = 0;  // operands joined by & and not yet put together
    size_t disjunctions = 0;  // operands joined by |
  };
  struct Prefix {
    ExprKind kind;
    source::Span span;
  };
  void push(ExprId operand);
  void join(ExprKind kind, size_t count);
  void end_conjunction();
  void end_disjunction();

  Exprs& exprs_;
  std::vector<ExprId> operands_;
  std::vector<Prefix> prefixes_;
  std::vector<Frame> frames_{Frame{}};
};

}  // namespace kr::syntax
