// `kr diff` of rulesets, for people.
#pragma once

#include <functional>
#include <string_view>

#include "tables/source.hpp"

namespace kr::overview {

struct RuleChangesOptions {
  /// Every pair of labels and every model; otherwise the first pairs that names seen anywhere show,
  /// and the number of the rest with a few examples.
  bool all = false;
};

/// First how many names change a label; then the pairs of labels, by dimension: those of most time
/// and of most names first, those that only invented names show last. Each with an example and the
/// rule of each side that decides for it. Then
/// what changes besides labels of names, and what was compared.
void rule_changes_text(const tables::RulesDifference& difference, const RuleChangesOptions& options,
                       const std::function<void(std::string_view)>& out);

/// For a review: one line per change, whatever the number of models, and at most 50 of the known
/// names.
void rule_changes_markdown(const tables::RulesDifference& difference,
                           const std::function<void(std::string_view)>& out);

}  // namespace kr::overview
