// A written list of rules, and its effective list: the block applied to the rules that it inherits.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/distinct_texts.hpp"
#include "sema/budget.hpp"
#include "sema/program.hpp"
#include "sema/scope.hpp"

namespace kr::sema {

/// The owner of a rule: an engine or a model. Numbered by Lineage.
using BodyId = uint32_t;

/// A rule in a list.
struct Placed {
  RuleId rule;
  uint32_t label = 0;  // Tables::labels()
};

/// `refine L { … }`: what the list labels L gets the label of the first of these that matches.
struct Refinement {
  uint32_t label = 0;  // L, in Tables::labels()
  std::vector<Placed> rules;
  const syntax::Rule* written = nullptr;
};

/// `D from E { … }`: by label of E (Tables::labels()) the rule that gives the label of D.
struct Image {
  uint32_t from = 0;  // E, in Tables::dimensions()
  std::map<uint32_t, RuleId> rules;
  const syntax::Word* written = nullptr;  // E
};

struct RuleList {
  std::vector<Placed> rules;
  std::optional<RuleId> otherwise;
  std::vector<Refinement> refinements;  // the nearest first
  /// There are then no rules. What it does not list falls to `otherwise`.
  std::optional<Image> image;
  /// Of an order dimension: the dimension that its rules look at (Tables::dimensions()).
  std::optional<uint32_t> over;
  std::vector<OrderScopeId> scopes;
  bool any = false;         // it labels something
  bool incomplete = false;  // a part could not be resolved, which has been reported
};

/// One line of a block, resolved.
struct Step {
  syntax::RuleKind kind = syntax::RuleKind::rule;
  RuleId rule;                         // rule, image
  uint32_t label = 0;                  // rule, image, refine
  const RuleList* included = nullptr;  // include; null if there is no such table
  const syntax::Rule* written = nullptr;
  std::vector<Placed> refined = {};   // refine
  std::vector<uint32_t> images = {};  // image: labels of the other dimension
};

struct Block {
  source::FileId module;
  uint32_t dimension = 0;  // Tables::dimensions()
  const syntax::Word* name = nullptr;
  const syntax::Word* over_name = nullptr;  // null: no `over`
  std::optional<uint32_t> over;             // Tables::dimensions()
  const syntax::Word* from_name = nullptr;  // null: no `from`
  std::optional<uint32_t> from;             // Tables::dimensions()
  OrderScopeId scope;                       // of its `ignore` and `continue`; invalid: none
  std::vector<Step> steps;
  std::optional<RuleId> otherwise;
  const syntax::Rule* otherwise_written = nullptr;
  std::vector<source::FileId>
      included_modules;  // modules of the included tables, for their vocabularies
};

/// Applies a block to the list it inherits. Its own rules come first, with included rules at the
/// place of their `include`. With a null sink, mistakes have been reported before; else
/// `dimensions` is required.
RuleList apply_block(const Block& block, RuleList inherited, diag::Sink* sink = nullptr,
                     const DistinctTexts* dimensions = nullptr);

}  // namespace kr::sema
