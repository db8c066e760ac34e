// Resolves expressions of files to expressions of the Program. Atoms with the same meaning become
// one atom; named patterns are shared by reference.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sema/program.hpp"
#include "sema/scope.hpp"

namespace kr::sema {

/// What an expression is evaluated on.
enum class SubjectKind : uint8_t { operation, phase, node };

class Expressions {
 public:
  /// Resolves the patterns of all modules.
  Expressions(Program& program, const Scope& scope, const source::SourceMap& sources,
              diag::Sink& sink);

  /// Invalid if it contains a mistake, which is reported. `otherwise` is a mistake here.
  ExprId resolve(source::FileId module, syntax::ExprId expr,
                 SubjectKind subject = SubjectKind::operation);
  /// Several joined by `|`.
  ExprId any_of(const std::vector<ExprId>& exprs);
  /// Invalid if it contains a mistake, which is reported.
  ExprId pattern_expr(Found pattern) const { return patterns_[numbering_.number(pattern)]; }

 private:
  /// Properties of an expression, computed once.
  struct Traits {
    uint32_t depth = 1;
    bool within = false;
    bool kind = false;  // @kernel, …
  };
  void resolve_patterns();
  ExprId build(source::FileId module, syntax::ExprId expr);
  ExprId build_operands(source::FileId module, const syntax::Expr& written, ExprOp op);
  ExprId build_within(source::FileId module, const syntax::Expr& written);
  AtomId atom_of(const syntax::Expr& written);
  AtomId add_atom(regex::Regex regex, const syntax::Expr& written);
  ExprId add(Expr expr);
  /// The part of `expr` that has the trait.
  template <class Has>
  source::Span cause(source::FileId module, syntax::ExprId expr, Has has) const;
  void refuse_kind(source::FileId module, syntax::ExprId expr, std::string_view whose);
  const Traits& traits(ExprId id) const { return traits_[id.index]; }

  Program& program_;
  const Scope& scope_;
  const source::SourceMap& sources_;
  diag::Sink& sink_;
  std::vector<Traits> traits_;                          // beside program_.exprs
  Numbering numbering_;                                 // of the patterns
  std::vector<ExprId> patterns_;                        // invalid: not resolved yet, or wrong
  std::unordered_map<std::string, AtomId> by_text_;     // as written
  std::unordered_map<std::string, AtomId> by_meaning_;  // to_hyperscan and named groups
};

}  // namespace kr::sema
