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
/// rule of each side that decides for it.
void rule_changes_text(const tables::RulesDifference& difference, const RuleChangesOptions& options,
                       const std::function<void(std::string_view)>& out);

}  // namespace kr::overview
