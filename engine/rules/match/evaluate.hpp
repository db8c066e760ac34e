// Finds the rule that labels a subject, from its matched atoms.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "match/condition.hpp"

namespace kr::match {

/// Evaluates an expression for one or a few subjects; a Condition is faster for many.
bool holds(const sema::Program& program, sema::ExprId expr, const Subject& subject);

/// A table prepared for many subjects. For rules that are plain disjunctions of atoms, the matched
/// atoms give the first rule directly; only the other rules are evaluated.
class TableMatcher {
 public:
  TableMatcher(const sema::Program& program, const sema::Table& table);

  /// The rule that labels the subject: the first that matches, else `otherwise`; none:
  /// unclassified, also where a `D from E` has no label for that of E.
  std::optional<sema::RuleId> match(const Subject& subject) const;
  /// Whether a rule depends on enclosing nodes and ranges.
  bool uses_within() const noexcept { return uses_within_; }

 private:
  struct Other {
    uint32_t rule;  // index into table_->rules
    Condition condition;
    std::optional<uint32_t> where;  // of a rule of a `refine`: index into wheres_
  };
  uint32_t first_plain(const AtomSet& name) const;
  const sema::Program* program_;
  const sema::Table* table_;
  std::vector<uint32_t> first_rule_of_atom_;  // by atom; none: no plain rule
  std::vector<Other> others_;                 // in ascending order
  std::vector<Condition> wheres_;             // where refinements apply
  bool uses_within_ = false;
};

/// A possible result if kind or context are not known.
struct Outcome {
  std::optional<sema::RuleId> rule;  // none: unclassified
  /// `@memcpy`, `within "MLA"`, `not within …`, `@memcpy or within …`: all are required, and no
  /// earlier outcome applies. Empty: always.
  std::vector<std::string> conditions;
};

/// The possible labels of a subject whose kind or context is not known: the rules that may match,
/// in order, up to the first that certainly does. Exact for kinds; contradictions between
/// conditions on the context are not detected.
std::vector<Outcome> outcomes(const sema::Program& program, const source::SourceMap& sources,
                              const sema::Table& table, const OpenSubject& subject);

/// Rules after the winning one that match too, without `otherwise`.
std::vector<sema::RuleId> later_matches(const sema::Program& program, const sema::Table& table,
                                        const Subject& subject);

}  // namespace kr::match
