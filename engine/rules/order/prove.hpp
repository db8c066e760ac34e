// Proves facts about order rules, over all sequences of their letters.
//
// What is before an operation is one of finitely many sets of steps, and so is what is behind it.
// Any two of them can meet. So an operation in brackets of one step gets its label from the first
// rule for which both sides match, and a rule is dead if at each meeting at which it matches, an
// earlier rule does. This is exact as long as all brackets have one step. Longer brackets compete
// for operations, and which of them gets an operation depends on more than such sets. kr claims of
// them only what is true in any case, and what the matcher confirms on a sequence.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "order/chain.hpp"

namespace kr::order {

/// A sequence, and one of its operations.
struct Witness {
  std::vector<Letter> sequence;
  uint32_t operation = 0;
};

enum class Verdict : uint8_t {
  /// The rule labels an operation of some sequence.
  alive,
  /// The rule matches nothing, even if there were no other rules.
  never_matches,
  /// Earlier rules label everything that the rule could.
  covered,
  /// Not decided within the budget, or because of longer brackets.
  not_decided,
};

struct RuleProof {
  Verdict verdict = Verdict::not_decided;
  /// alive: a sequence in which the rule labels the operation; covered: one in which it would,
  /// without the rules before it. A shortest one if the block has only brackets of one step and
  /// the budget was not exceeded. Letters are the first ones for which no rule differs.
  std::optional<Witness> witness;
  /// covered: rules that together label everything that the rule could.
  std::vector<uint32_t> covered_by;
};

/// Counted, not timed: every machine proves the same. The tables of parts need a tenth of it.
struct ProofBudget {
  /// The maximum number of sets of steps before an operation, and of those behind it.
  size_t states = 20'000;
  /// The maximum number of meetings.
  size_t meetings = 20'000'000;
  /// The maximum number of sequences that are labelled, per rule.
  size_t checks = 200;
  /// May be null; any thread may set it. Then what is not yet proved is not decided.
  const std::atomic<bool>* stop = nullptr;

  bool is_stopped() const { return stop != nullptr && *stop; }
};

/// By rule.
std::vector<RuleProof> prove(const Block& block, const ProofBudget& budget = {});

enum class Equality : uint8_t { equal, different, not_decided };

struct BlockComparison {
  Equality result = Equality::not_decided;
  /// different: a sequence of which the operation gets different labels; a shortest one under the
  /// conditions of RuleProof::witness.
  std::optional<Witness> witness;
};

/// Whether two blocks over the same letters label all sequences the same way. `labels_a` and
/// `labels_b`: by rule of each block, the number of its label.
BlockComparison compare(const Block& a, std::span<const uint32_t> labels_a, const Block& b,
                        std::span<const uint32_t> labels_b, const ProofBudget& budget = {});

}  // namespace kr::order
