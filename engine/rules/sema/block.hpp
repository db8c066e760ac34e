// A written list of rules, and its effective list: the block applied to the rules that it inherits.
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

/// The owner of a rule: an engine, a model, or std.kind. Numbered by Lineage.
using BodyId = uint32_t;
inline constexpr BodyId no_body = ~BodyId{0};

/// A rule in a list.
struct Placed {
  RuleId rule;
  uint32_t label = 0;     // Tables::labels()
  BodyId body = no_body;  // the owner of the rule that was first at this place
};

struct RuleList {
  std::vector<Placed> rules;
  std::optional<RuleId> otherwise;
  /// Of an order dimension: the dimension that its rules look at (Tables::dimensions()).
  std::optional<uint32_t> over;
  std::vector<OrderScopeId> scopes;
  bool any = false;         // there was a rule, even if it was dropped
  bool incomplete = false;  // a part could not be resolved, which has been reported
};

/// One line of a block, resolved.
struct Step {
  syntax::RuleKind kind = syntax::RuleKind::rule;
  RuleId rule;                         // rule, replace
  uint32_t label = 0;                  // rule, replace, drop
  const RuleList* included = nullptr;  // include; null if there is no such table
  const syntax::Rule* written = nullptr;
  bool unknown_label = false;  // reported: do not also report that the edit finds nothing
};

struct Block {
  source::FileId module;
  uint32_t dimension = 0;  // Tables::dimensions()
  const syntax::Word* name = nullptr;
  const syntax::Word* over_name = nullptr;  // null: no `over`
  std::optional<uint32_t> over;             // Tables::dimensions()
  OrderScopeId scope;                       // of its `ignore` and `continue`; invalid: none
  std::vector<Step> steps;
  std::optional<RuleId> otherwise;
  const syntax::Rule* otherwise_written = nullptr;
  std::vector<source::FileId>
      included_modules;  // modules of the included tables, for their vocabularies
};

struct ApplyOptions {
  BodyId body = no_body;
  /// Whose rules `replace` and `drop` may change; empty: all.
  std::function<bool(BodyId)> may_edit;
  diag::Sink* sink = nullptr;                 // null: mistakes have been reported before
  const DistinctTexts* labels = nullptr;      // required with a sink
  const DistinctTexts* dimensions = nullptr;  // required with a sink
};

/// Applies a block to the list it inherits. Its own rules come first, with included rules at the
/// place of their `include`; `replace` and `drop` change inherited rules and rules included earlier
/// in the block.
RuleList apply_block(const Block& block, RuleList inherited, const ApplyOptions& options);

}  // namespace kr::sema
