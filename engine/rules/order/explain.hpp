// Why an operation has its label: how chains matched it, and where they stopped.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "order/chain.hpp"

namespace kr::order {

/// A place in the sequence as explanations show it: -1 is `start`, the length of the sequence is
/// `end`. Where a chain stops for want of further places, it is one place further than those.
using Place = int64_t;

/// One place of a match and the step that took it.
struct Taken {
  Place place = 0;
  uint32_t step = 0;
  friend bool operator==(const Taken&, const Taken&) = default;
};

/// Where one side of a chain stopped: no further step takes what is there.
struct Stop {
  /// The furthest step that was reached, and does not take what is at `place`.
  uint32_t step = 0;
  Place place = 0;
  /// Set if the step would take it, but is in brackets: the operation has the label of this earlier
  /// rule.
  uint32_t labelled_by = no_rule;
};

enum class Outcome : uint8_t {
  /// The rule gave the operation its label.
  labelled,
  /// The rule matches, but the operation had a label of an earlier rule, or belongs to another
  /// match of this rule.
  also_matches,
  /// The chain does not see the operation: its scope passes it over or continues it.
  not_seen,
  /// No step in brackets (or the ordinary rule) takes it.
  not_taken,
  /// A step in brackets takes it, but the neighbours do not match.
  stopped,
};

/// What one rule made of one operation.
struct Explanation {
  Outcome outcome = Outcome::not_taken;
  /// labelled, also_matches: all places of the match in order, each with the step that took it;
  /// empty for an ordinary rule. Of several ways to match, the one with the fewest places before
  /// the brackets, then with the fewest behind them; within that, earlier steps take as few as
  /// possible.
  std::vector<Taken> taken;
  /// stopped: the sides that do not match, from the brackets outwards; at least one is set.
  std::optional<Stop> left;
  std::optional<Stop> right;
};

struct OperationExplained {
  /// The rule of the operation, or no_rule.
  uint32_t rule = no_rule;
  /// Set if the operation has its label by `continue`: the operation whose label it took.
  std::optional<uint32_t> continued_from;
  /// By rule of the block.
  std::vector<Explanation> rules;
};

/// Explains one operation of a sequence. Labels the sequence for this; takes time linear in
/// operations and rules.
OperationExplained explain(const Block& block, std::span<const Letter> sequence,
                           uint32_t operation);

}  // namespace kr::order
