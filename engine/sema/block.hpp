// A written list of rules, and what becomes of the rules below it: a block put on what it inherits
// gives the list as it is tried.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/distinct_texts.hpp"
#include "sema/budget.hpp"
#include "sema/program.hpp"
#include "sema/scope.hpp"

namespace kr::sema {

/// Who wrote a rule: an engine, a model, or std.kind. Numbered by Lineage.
using BodyId = uint32_t;
inline constexpr BodyId no_body = ~BodyId{0};

/// A rule at its place in a list.
struct Placed {
  RuleId rule;
  uint32_t label = 0;     // Tables::labels()
  BodyId body = no_body;  // who wrote the rule whose place it is
};

struct RuleList {
  std::vector<Placed> rules;
  std::optional<RuleId> otherwise;
  bool any = false;         // a rule was written somewhere, even if dropped since
  bool incomplete = false;  // something that belongs here could not be resolved, and is reported
};

/// One line of a block, names resolved.
struct Step {
  syntax::RuleKind kind = syntax::RuleKind::rule;
  RuleId rule;                         // rule, replace
  uint32_t label = 0;                  // rule, replace, drop
  const RuleList* included = nullptr;  // include; null where there is no such table
  const syntax::Rule* written = nullptr;
  bool unknown_label = false;  // reported: that it finds nothing is then no news
};

struct Block {
  source::FileId module;
  uint32_t dimension = 0;  // Tables::dimensions()
  const syntax::Word* name = nullptr;
  std::vector<Step> steps;
  std::optional<RuleId> otherwise;  // its own
  const syntax::Rule* otherwise_written = nullptr;
  std::vector<source::FileId> brings;  // modules of the tables it includes, for their vocabularies
};

struct Putting {
  BodyId body = no_body;
  /// Whose rules `replace` and `drop` may touch; empty: all there are.
  std::function<bool(BodyId)> touches;
  diag::Sink* sink = nullptr;        // null: what is wrong has been reported before
  const DistinctTexts* labels = nullptr;  // with a sink
};

/// Puts a block on the list it inherits. Own rules come first, includes at their point; `replace`
/// and `drop` act on the inherited rules and on those included earlier in the block.
RuleList put(const Block& block, RuleList inherited, const Putting& putting);

}  // namespace kr::sema
