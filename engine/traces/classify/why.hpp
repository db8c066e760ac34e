// Why a name gets its labels: the rule that decides in each dimension, which parts of the name it
// matches, and which other rules match too.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "classify/classify.hpp"
#include "match/compiled_rules.hpp"

namespace kr::classify {

struct WhyQuery {
  std::string name;
  /// Nullopt: any kind is possible, and every outcome is reported.
  std::optional<OperationKind> kind;
  /// The names of enclosing nodes and ranges, outermost first. Nullopt: any context is possible.
  std::optional<std::vector<std::string>> within;
};

struct WhyRule {
  std::string label;
  sema::RuleId rule;
};

/// One possible result in one dimension.
struct WhyOutcome {
  std::string label;
  std::optional<sema::RuleId> rule;  // none: unclassified
  /// The bytes [begin, end) of the name that the rule's texts match, in order; overlapping ones are
  /// joined.
  std::vector<std::pair<size_t, size_t>> spans;
  /// The labels that `refine` split on the way to this one, the last first, and who gives them.
  std::vector<WhyRule> refined;
  std::vector<WhyRule> image;  // of `D from E`: the label in E
  /// Other rules that match, without `otherwise`, in the order tried; only if there is a single
  /// outcome.
  std::vector<WhyRule> also;
  /// The conditions on kind and context for this outcome; may be empty.
  std::vector<std::string> conditions;
};

struct WhyDimension {
  sema::DimensionId dimension;
  /// First the usual one (the kind by the name, no context), then in the order tried.
  std::vector<WhyOutcome> outcomes;
  /// Of order rules: in whose chains the name can stand in brackets. `outcomes` are these and
  /// ordinary rules that may match, in the order tried, then what the name gets if none does.
  size_t chains = 0;
  /// Whether `continue` of order rules can give it the label of the operation before it.
  bool continues = false;
};

/// Dimensions of names, then those of order rules.
std::vector<WhyDimension> why(const match::CompiledRules& rules, sema::ModelId model,
                              const WhyQuery& query);

/// `file:line`; `built-in` for a rule that is not in a file.
std::string rule_place(const match::CompiledRules& rules, sema::RuleId rule);
/// Whether the rule is of common words of names alone (std.words): it labels names that no family
/// of kernels matches, and may be wrong.
bool has_only_common_words(const match::CompiledRules& rules, sema::RuleId rule);
/// The rule as written, on one line; empty for a rule that is not in a file.
std::string rule_on_one_line(const match::CompiledRules& rules, sema::RuleId rule);
/// The text of a span without line breaks; empty for that of no file.
std::string on_one_line(const match::CompiledRules& rules, source::Span span);

}  // namespace kr::classify
