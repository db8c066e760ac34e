// Why operations of a stream get their labels: from their names, and from their neighbours.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "classify/classify.hpp"
#include "match/compiled_rules.hpp"
#include "order/explain.hpp"

namespace kr::classify {

/// All operations of a stream, in the order in which they ran. Refers to what its maker owns.
struct StreamView {
  std::span<const match::Subject> subjects;  // those that rules may tell apart
  std::span<const uint32_t> subject_of;      // by operation
  std::function<std::string_view(size_t operation)> name;
};

struct WhySequence {
  struct Label {
    std::string label;
    std::optional<sema::RuleId> rule;  // none: unclassified
  };
  struct Operation {
    std::string name;
    std::vector<Label> labels;  // by `dimensions`
  };
  struct Explained {
    size_t at = 0;                                      // its place in the stream
    std::vector<order::OperationExplained> dimensions;  // by order table; places in the stream
  };

  sema::ModelId model;
  /// All of the model; the last are those of order rules.
  std::vector<sema::DimensionId> dimensions;
  size_t length = 0;  // operations of the stream
  /// The part of it that the explanations are about, from the place `first`.
  size_t first = 0;
  std::vector<Operation> operations;
  std::vector<Explained> explained;

  /// Null for a place that is not among `operations`.
  const Operation* operation(order::Place place) const;
};

/// Explains these operations of a stream, in the order given. `operations` of the result are those,
/// their neighbours, and what their matches need; of a match, at most 1,000 on each side.
WhySequence why(const match::CompiledRules& rules, sema::ModelId model, const StreamView& stream,
                std::span<const size_t> operations, size_t neighbours);

}  // namespace kr::classify
