// Rules over matched atoms: which rule labels a subject.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "match/condition.hpp"

namespace kr::match {

/// For one or a few subjects; a Condition is faster for many.
bool holds(const sema::Program& program, sema::ExprId expr, const Subject& subject);

/// A dimension of a model made ready for many subjects: where a rule is a plain disjunction of
/// atoms, the smallest rule is found from the atoms that matched; only the others are evaluated.
class TableMatcher {
 public:
  TableMatcher(const sema::Program& program, const sema::Table& table);

  /// The rule that labels the subject: the first that holds, else `otherwise`; none: unclassified.
  std::optional<sema::RuleId> match(const Subject& subject) const;
  /// Whether any rule looks at enclosing nodes and ranges.
  bool looks_within() const noexcept { return looks_within_; }

 private:
  struct Other {
    uint32_t rule;  // index into table_->rules
    Condition condition;
  };
  uint32_t first_plain(const AtomSet& name) const;
  const sema::Table* table_;
  std::vector<uint32_t> first_rule_of_atom_;  // by atom; none: no plain rule
  std::vector<Other> others_;                 // rules rising
  bool looks_within_ = false;
};

/// One thing that can come out where kind or context are not known.
struct Outcome {
  std::optional<sema::RuleId> rule;  // none: unclassified
  /// `@memcpy`, `within "MLA"`, `not within …`, `@memcpy or within …`, all of them needed; and no
  /// outcome before it. Empty: always.
  std::vector<std::string> conditions;
};

/// What a subject may be labelled when its kind (none given) or its context is open: the rules that
/// may hold, in order, up to the first that surely does. Exact in the kind; what stands within may
/// be asked in ways that exclude each other, and that is not seen.
std::vector<Outcome> outcomes(const sema::Program& program, const source::SourceMap& sources,
                              const sema::Table& table, const OpenSubject& subject);

/// Rules below the winning one that would hold too, `otherwise` left out.
std::vector<sema::RuleId> also_hold(const sema::Program& program, const sema::Table& table,
                                    const Subject& subject);

}  // namespace kr::match
