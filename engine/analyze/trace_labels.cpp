#include "analyze/trace_labels.hpp"

#include "classify/why.hpp"

namespace kr::analyze {

TraceLabels::TraceLabels(const match::CompiledRules& rules, const classify::Labelled& labelled)
    : rules_(rules) {
  dimensions_.reserve(labelled.dimensions.size());
  for (const classify::DimensionLabels& labels : labelled.dimensions) {
    dimensions_.emplace_back(rules.program().dimensions.get(labels.dimension).name, &labels);
  }
}

const classify::LabelResult* TraceLabels::find(std::string_view dimension, uint32_t row) const {
  for (const auto& [known, labels] : dimensions_) {
    if (known == dimension) return &labels->by_row[row];
  }
  return nullptr;
}

std::string TraceLabels::rule(const classify::LabelResult& given) const {
  return given.rule ? classify::rule_place(rules_, *given.rule) : std::string();
}

}  // namespace kr::analyze
