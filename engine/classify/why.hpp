// Why a name gets its labels: the rule that wins in each dimension, where its texts stand in the
// name, and which other rules hold too.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "classify/classify.hpp"
#include "match/compiled_rules.hpp"

namespace kr::classify {

struct WhyQuery {
  std::string name;
  /// None: any kind is possible, each outcome is told.
  std::optional<OperationKind> kind;
  /// None: any context is possible. The names of enclosing nodes and ranges, outermost first.
  std::optional<std::vector<std::string>> within;
};

struct WhyRule {
  std::string label;
  sema::RuleId rule;
};

/// One thing that can come out in one dimension.
struct WhyOutcome {
  std::string label;
  std::optional<sema::RuleId> rule;  // none: unclassified
  /// Bytes [begin, end) of the name that hold the rule's texts, in order, joined where they
  /// overlap.
  std::vector<std::pair<size_t, size_t>> spans;
  /// Other rules that hold, `otherwise` left out, in the order tried; told where there is but one
  /// outcome.
  std::vector<WhyRule> also;
  /// What has to be so of kind and context for this outcome; empty: nothing.
  std::vector<std::string> conditions;
};

struct WhyDimension {
  sema::DimensionId dimension;
  /// First the usual one (the kind that the name tells, no context), then in the order tried.
  std::vector<WhyOutcome> outcomes;
};

std::vector<WhyDimension> why(const match::CompiledRules& rules, sema::ModelId model,
                              const WhyQuery& query);

/// `file:line`; `built-in` for a rule that no file has.
std::string rule_place(const match::CompiledRules& rules, sema::RuleId rule);
/// The rule as written, on one line; empty for one that no file has.
std::string rule_on_one_line(const match::CompiledRules& rules, sema::RuleId rule);

}  // namespace kr::classify
