// A written list of rules, and its effective list: the block applied to the rules that it inherits.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sema/budget.hpp"
#include "sema/program.hpp"
#include "sema/scope.hpp"

namespace kr::sema {

/// Numbers for labels and dimensions, for fast comparison.
class Interner {
 public:
  uint32_t add(std::string_view text) {
    const auto [at, added] =
        numbers_.emplace(std::string(text), static_cast<uint32_t>(texts_.size()));
    if (added) texts_.push_back(&at->first);
    return at->second;
  }
  const std::string& text(uint32_t number) const { return *texts_[number]; }
  size_t size() const noexcept { return texts_.size(); }

 private:
  std::unordered_map<std::string, uint32_t> numbers_;
  std::vector<const std::string*> texts_;  // keys of the map, whose addresses are stable
};

/// The owner of a rule: an engine, a model, or std.kind. Numbered by Lineage.
using BodyId = uint32_t;
inline constexpr BodyId no_body = ~BodyId{0};

/// A rule in a list.
struct Placed {
  RuleId rule;
  uint32_t label = 0;     // Interner
  BodyId body = no_body;  // the owner of the rule that was first at this place
};

struct RuleList {
  std::vector<Placed> rules;
  std::optional<RuleId> otherwise;
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
  uint32_t dimension = 0;  // Interner
  const syntax::Word* name = nullptr;
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
  diag::Sink* sink = nullptr;        // null: mistakes have been reported before
  const Interner* labels = nullptr;  // required with a sink
};

/// Applies a block to the list it inherits. Its own rules come first, with included rules at the
/// place of their `include`; `replace` and `drop` change inherited rules and rules included earlier
/// in the block.
RuleList apply_block(const Block& block, RuleList inherited, const ApplyOptions& options);

}  // namespace kr::sema
