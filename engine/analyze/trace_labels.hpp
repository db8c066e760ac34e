// Labels of a trace's operations by row (see Labelled), and the rules that gave them, for outputs
// that go through every operation.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/run.hpp"

namespace kr::analyze {

/// Refers to the rules and the labels it was made from.
class TraceLabels {
 public:
  TraceLabels(const match::CompiledRules& rules, const classify::Labelled& labelled);

  /// Those of the model, in the Program's order.
  const std::vector<std::pair<std::string, const classify::DimensionLabels*>>& dimensions() const {
    return dimensions_;
  }
  /// Null where the model has no such dimension.
  const classify::LabelResult* find(std::string_view dimension, uint32_t row) const;
  /// `file:line`, `built-in`; empty: unclassified.
  std::string rule(const classify::LabelResult& given) const;

 private:
  const match::CompiledRules& rules_;
  std::vector<std::pair<std::string, const classify::DimensionLabels*>> dimensions_;
};

}  // namespace kr::analyze
