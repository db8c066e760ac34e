#include "report/trace_labels.hpp"

namespace kr {

TraceLabels::TraceLabels(const CompiledRules& rules, const Labelled& labelled) : rules_(rules) {
  dimensions_.reserve(labelled.dimensions.size());
  for (const DimensionLabels& labels : labelled.dimensions) {
    dimensions_.emplace_back(rules.program().dimensions.get(labels.dimension).name, &labels);
  }
}

const Given* TraceLabels::find(std::string_view dimension, uint32_t row) const {
  for (const auto& [known, labels] : dimensions_) {
    if (known == dimension) return &labels->by_row[row];
  }
  return nullptr;
}

std::string TraceLabels::rule(const Given& given) const {
  if (!given.rule) return {};
  const Span span = rules_.program().rules.get(*given.rule).span;
  return span.valid() ? rules_.sources().place(span) : std::string("built-in");
}

}  // namespace kr
