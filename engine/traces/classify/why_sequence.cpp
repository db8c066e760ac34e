#include "classify/why_sequence.hpp"

#include <algorithm>

#include "match/order_rules.hpp"

namespace kr::classify {
namespace {

constexpr int64_t max_reach = 1000;

/// From `first` to `last`, inclusive.
struct Reach {
  int64_t first;
  int64_t last;
  void add(int64_t place) {
    first = std::min(first, place);
    last = std::max(last, place);
  }
};

/// What an explanation speaks of.
Reach reach_of(const WhySequence::Explained& explained) {
  const auto at = static_cast<int64_t>(explained.at);
  Reach part{at, at};
  for (const order::OperationExplained& one : explained.dimensions) {
    if (one.continued_from) part.add(*one.continued_from);
    for (const order::Explanation& rule : one.rules) {
      if (rule.left) part.add(rule.left->place);
      if (rule.right) part.add(rule.right->place);
      if (rule.taken.empty()) continue;
      part.add(rule.taken.front().place);
      part.add(rule.taken.back().place);
    }
  }
  return {std::max(part.first, at - max_reach), std::min(part.last, at + max_reach)};
}

}  // namespace

const WhySequence::Operation* WhySequence::operation(order::Place place) const {
  const int64_t at = place - static_cast<int64_t>(first);
  return at >= 0 && at < static_cast<int64_t>(operations.size())
             ? &operations[static_cast<size_t>(at)]
             : nullptr;
}

WhySequence why(const match::CompiledRules& rules, sema::ModelId id, const StreamView& stream,
                std::span<const size_t> operations, size_t neighbours) {
  const sema::Program& program = rules.program();
  const sema::Model& model = program.models.get(id);
  match::LabelledSequence labelled(program, model, stream.subjects, stream.subject_of);
  WhySequence why;
  why.model = id;
  why.length = stream.subject_of.size();
  for (const sema::Table& table : model.tables) why.dimensions.push_back(table.dimension);
  for (const sema::OrderTable& table : model.order_tables) {
    why.dimensions.push_back(table.dimension);
  }

  const auto margin = static_cast<int64_t>(neighbours);
  std::optional<Reach> part;
  for (const size_t at : operations) {
    WhySequence::Explained& explained = why.explained.emplace_back();
    explained.at = at;
    for (const sema::OrderTable& table : model.order_tables) {
      explained.dimensions.push_back(labelled.explain(table, at));
    }
    const Reach needed = reach_of(explained);
    if (!part) part = needed;
    part->add(std::min(needed.first, static_cast<int64_t>(at) - margin));
    part->add(std::max(needed.last, static_cast<int64_t>(at) + margin));
  }
  if (!part) return why;
  why.first = static_cast<size_t>(std::max<int64_t>(part->first, 0));
  const size_t end =
      static_cast<size_t>(std::min(part->last + 1, static_cast<int64_t>(why.length)));
  for (size_t at = why.first; at < end; ++at) {
    WhySequence::Operation& operation = why.operations.emplace_back();
    operation.name = stream.name(at);
    for (const sema::DimensionId dimension : why.dimensions) {
      const std::optional<sema::RuleId> rule = labelled.rule_of_label(dimension, at);
      operation.labels.push_back({std::string(label_result(program, rule, operation.name).label),
                                  labelled.rule(dimension, at)});
    }
  }
  return why;
}

}  // namespace kr::classify
