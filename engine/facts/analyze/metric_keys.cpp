#include "analyze/metric_keys.hpp"

#include <algorithm>
#include <map>

#include "analyze/steps.hpp"

namespace kr::analyze {

MetricKeys::MetricKeys(const sema::Program& program, const trace::Trace& trace,
                       const classify::Labelled& labelled, const classify::Attribution& attribution)
    : trace_(trace), labelled_(labelled), attribution_(attribution) {
  number_labels(program);
  number_phases();
  steps_ = {phases_.end, phases_.end + static_cast<uint32_t>(attribution.steps.size())};
  names_ = {steps_.end, steps_.end + static_cast<uint32_t>(trace.names.size())};
}

void MetricKeys::number_labels(const sema::Program& program) {
  for (const classify::DimensionLabels& dimension : labelled_.dimensions) {
    const auto begin = static_cast<uint32_t>(labels_.size());
    std::map<std::string_view, uint32_t> numbers;
    std::vector<uint32_t>& of_row = label_of_row_.emplace_back();
    of_row.reserve(dimension.by_row.size());
    for (const classify::LabelResult& result : dimension.by_row) {
      const auto next = static_cast<uint32_t>(labels_.size());
      const auto [known, added] = numbers.try_emplace(result.label, next);
      if (added) labels_.emplace_back(result.label);
      of_row.push_back(known->second);
    }
    dimensions_.push_back({begin, static_cast<uint32_t>(labels_.size())});
    dimension_names_.push_back(program.dimensions.get(dimension.dimension).name);
  }
}

/// A step is of its own phase and of those of the steps that enclose it.
void MetricKeys::number_phases() {
  const auto first = static_cast<uint32_t>(labels_.size());
  std::map<std::string_view, uint32_t> numbers;
  phases_of_step_.reserve(attribution_.steps.size());
  for (const classify::TraceStep& step : attribution_.steps) {
    const auto next = first + static_cast<uint32_t>(phase_names_.size());
    const auto [known, added] = numbers.try_emplace(step.phase.label, next);
    if (added) phase_names_.emplace_back(step.phase.label);
    std::vector<uint32_t> phases;
    if (step.outer != classify::Attribution::none) phases = phases_of_step_[step.outer];
    if (std::find(phases.begin(), phases.end(), known->second) == phases.end()) {
      phases.push_back(known->second);
    }
    phases_of_step_.push_back(std::move(phases));
  }
  if (!phase_names_.empty()) phase_names_.emplace_back(outside_steps_name);
  phases_ = {first, first + static_cast<uint32_t>(phase_names_.size())};
}

void MetricKeys::of(size_t number, std::vector<uint32_t>& out) const {
  out.clear();
  const trace::Operation& operation = trace_.operations[number];
  const uint32_t row = labelled_.row(number, operation);
  for (const std::vector<uint32_t>& of_row : label_of_row_) out.push_back(of_row[row]);
  out.push_back(names_.begin + operation.name.index);
  const uint32_t innermost = attribution_.step_of[number];
  if (innermost == classify::Attribution::none) {
    if (!phase_names_.empty()) out.push_back(phases_.end - 1);
    return;
  }
  const std::vector<uint32_t>& phases = phases_of_step_[innermost];
  out.insert(out.end(), phases.begin(), phases.end());
  size_t depth = 0;
  for (uint32_t step = innermost;
       step != classify::Attribution::none && depth++ < max_enclosing_steps;
       step = attribution_.steps[step].outer) {
    out.push_back(steps_.begin + step);
  }
}

}  // namespace kr::analyze
