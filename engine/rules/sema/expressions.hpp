// Resolves expressions of files to expressions of the Program. Atoms with the same meaning become
// one atom; named patterns are shared by reference.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sema/program.hpp"
#include "sema/scope.hpp"
#include "sema/vocabulary.hpp"

namespace kr::sema {

/// What an expression is evaluated on.
enum class SubjectKind : uint8_t { operation, detection, phase, node };

class Expressions {
 public:
  /// Resolves the patterns of all modules.
  Expressions(Program& program, const Scope& scope, const Vocabularies& vocabularies,
              const source::SourceMap& sources, diag::Sink& sink);

  /// Invalid if it contains a mistake, which is reported. `otherwise` is a mistake here. `over`:
  /// the dimension whose labels are words of the expression, in a block of order rules; null: none.
  ExprId resolve(source::FileId module, syntax::ExprId expr,
                 SubjectKind subject = SubjectKind::operation, const syntax::Word* over = nullptr);
  /// Whether `start` or `end` alone is the expression.
  bool is_edge(ExprId expr) const;
  /// Several joined by `|`; invalid ones are left out.
  ExprId any_of(const std::vector<ExprId>& exprs);
  /// Several joined by `&`, none of several, and what every subject matches. None is invalid.
  ExprId all_of(const std::vector<ExprId>& exprs);
  ExprId none_of(const std::vector<ExprId>& exprs);
  ExprId anything();
  /// Invalid if it contains a mistake, which is reported.
  ExprId pattern_expr(Found pattern) const { return patterns_[numbering_.number(pattern)]; }

 private:
  /// Properties of an expression, computed once.
  struct Traits {
    uint32_t depth = 1;
    bool within = false;  // also `op` and `phase`
    bool phase = false;   // `phase`
    bool kind = false;    // @kernel, …
    bool own = false;     // `own`
    WordId word = {};     // a label of order rules in it; invalid: none
  };
  void resolve_patterns();
  ExprId build(source::FileId module, syntax::ExprId expr);
  ExprId build_operands(source::FileId module, const syntax::Expr& written, ExprOp op);
  ExprId build_name(source::FileId module, const syntax::Expr& written);
  /// In a block of order rules: a label, `_`, `start`, `end`, or the name of a pattern.
  std::optional<ExprId> build_word(source::FileId module, const syntax::Expr& written);
  ExprId label(std::string_view dimension, const std::string& label, source::Span span);
  ExprId build_within(source::FileId module, const syntax::Expr& written);
  ExprId build_op(source::FileId module, const syntax::Expr& written);
  ExprId build_phase(const syntax::Expr& written);
  AtomId mark(const std::string& text, source::Span span);
  ExprId build_own(source::FileId module, const syntax::Expr& written);
  ExprId own(ExprId id);
  AtomId own(AtomId id);
  AtomId atom_of(const syntax::Expr& written);
  AtomId add_atom(const regex::Regex& regex, const syntax::Expr& written);
  ExprId add(Expr expr);
  /// The part of `expr` that has the trait.
  template <class Has>
  source::Span cause(source::FileId module, syntax::ExprId expr, Has has) const;
  void refuse_kind(source::FileId module, syntax::ExprId expr, std::string_view whose);
  const Traits& traits(ExprId id) const { return traits_[id.index]; }

  Program& program_;
  const Scope& scope_;
  const Vocabularies& vocabularies_;
  const source::SourceMap& sources_;
  diag::Sink& sink_;
  const syntax::Word* over_ = nullptr;      // of what is being built
  std::unordered_map<ExprId, ExprId> own_;  // over the own name
  std::unordered_map<AtomId, AtomId> own_atoms_;
  std::map<std::string, AtomId> marks_;
  std::map<std::pair<uint32_t, std::string>, Vocabulary> visible_;  // by module and dimension
  std::map<std::pair<std::string, std::string>, WordId> words_;
  std::vector<Traits> traits_;                          // beside program_.exprs
  Numbering numbering_;                                 // of the patterns
  std::vector<ExprId> patterns_;                        // invalid: not resolved yet, or wrong
  std::unordered_map<std::string, AtomId> by_text_;     // as written
  std::unordered_map<std::string, AtomId> by_meaning_;  // to_hyperscan and named groups
};

}  // namespace kr::sema
