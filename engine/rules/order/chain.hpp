// Order rules without texts: what the matcher, the explanations and the prover work on.
//
// A rule is either ordinary (it labels each operation by its letter) or a chain, `left > [target] >
// right`, which labels the operations in brackets by their neighbours. A letter is what the rules
// of a block can distinguish of one operation: operations for which all expressions of the block
// agree have the same letter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace kr::order {

using Letter = uint32_t;

/// How many operations a step takes: exactly one, at most one (`?`), at least one (`+`), or any
/// number (`*`: both).
struct Step {
  bool optional = false;
  bool repeated = false;
  friend bool operator==(const Step&, const Step&) = default;
};

inline constexpr size_t max_steps = 64;

/// A rule with `>`.
struct Chain {
  /// At least one, at most `max_steps`.
  std::vector<Step> steps;
  /// The steps in brackets, inclusive.
  uint32_t first = 0;
  uint32_t last = 0;
  /// By letter, including `start` and `end`: bit s is set if step s takes it. Steps in brackets
  /// never take `start` or `end`, whatever is set here.
  std::vector<uint64_t> takes;
  /// The scope whose operations the chain does not see: a place in `Block::scopes`.
  uint32_t scope = 0;
};

/// What the chains of one block or table do not see.
struct Scope {
  /// By letter: whether `ignore` matches it.
  std::vector<uint8_t> passes;
  /// By letter: whether `continue` matches it.
  std::vector<uint8_t> continues;

  bool sees(Letter letter) const { return passes[letter] == 0 && continues[letter] == 0; }
};

struct OrderRule {
  std::optional<Chain> chain;
  /// Without a chain, by letter: whether the rule labels it, passed over or not.
  std::vector<uint8_t> letters;
};

/// The effective rules of one dimension.
struct Block {
  /// The number of letters of operations: 0 to letters - 1.
  size_t letters = 0;
  std::vector<Scope> scopes;
  /// In order of evaluation.
  std::vector<OrderRule> rules;

  /// The letters of the places before the first and after the last operation.
  Letter start() const noexcept { return static_cast<Letter>(letters); }
  Letter end() const noexcept { return static_cast<Letter>(letters + 1); }
};

/// In place of a rule: no rule labels the operation.
inline constexpr uint32_t no_rule = 0xffffffff;

}  // namespace kr::order
