// Expressions of files to expressions of the Program: atoms made equal where they mean the same,
// named patterns put in by reference.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sema/program.hpp"
#include "sema/scope.hpp"

namespace kr::sema {

/// What an expression is held against.
enum class SubjectKind : uint8_t { operation, phase, node };

class Expressions {
 public:
  /// Resolves the patterns of all modules.
  Expressions(Program& program, const Scope& scope, const source::SourceMap& sources,
              diag::Sink& sink);

  /// Invalid where something in it is wrong, which is then reported. `otherwise` is wrong here.
  ExprId resolve(source::FileId module, syntax::ExprId expr,
                 SubjectKind subject = SubjectKind::operation);
  /// Several joined by `|`.
  ExprId any_of(const std::vector<ExprId>& exprs);
  /// Invalid where something in it is wrong, which is then reported.
  ExprId pattern_expr(Found pattern) const {
    return patterns_[first_pattern_[pattern.module.index] + pattern.index];
  }

 private:
  /// What is to be known of an expression without looking into it again.
  struct Traits {
    uint32_t depth = 1;
    bool within = false;
    bool kind = false;  // @kernel, …
  };
  void resolve_patterns();
  ExprId build(source::FileId module, syntax::ExprId expr);
  ExprId build_operands(source::FileId module, const syntax::Expr& written, ExprOp op);
  ExprId build_within(source::FileId module, const syntax::Expr& written);
  ExprId pattern_of(source::FileId module, const syntax::Expr& written);
  AtomId atom_of(const syntax::Expr& written);
  AtomId add_atom(regex::Regex regex, const syntax::Expr& written);
  ExprId add(Expr expr, Traits traits);
  /// Where inside `expr` the trait comes from.
  template <class Has>
  source::Span cause(source::FileId module, syntax::ExprId expr, Has has) const;
  void refuse_kind(source::FileId module, syntax::ExprId expr, std::string_view whose);
  const Traits& traits(ExprId id) const { return traits_[id.index]; }

  Program& program_;
  const Scope& scope_;
  const source::SourceMap& sources_;
  diag::Sink& sink_;
  std::vector<Traits> traits_;           // beside program_.exprs
  std::vector<uint32_t> first_pattern_;  // by module: where its patterns begin in patterns_
  std::vector<ExprId> patterns_;         // invalid: not there yet, or wrong
  std::unordered_map<std::string, AtomId> by_text_;     // as written
  std::unordered_map<std::string, AtomId> by_meaning_;  // to_hyperscan and named groups
};

}  // namespace kr::sema
