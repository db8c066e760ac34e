// Explanations against what they say.
#include "order/explain.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "support/order_blocks.hpp"
#include "support/rounds.hpp"

using namespace kr;
using namespace kr::order;

namespace {

// Whether the places and steps are a match of the chain with the operation in its brackets.
bool is_match(const Block& block, const Chain& chain, const std::vector<Letter>& sequence,
              uint32_t operation, const std::vector<Taken>& taken) {
  std::vector<Place> places{-1};
  for (size_t i = 0; i < sequence.size(); ++i) {
    if (block.scopes[chain.scope].sees(sequence[i])) places.push_back(static_cast<Place>(i));
  }
  places.push_back(static_cast<Place>(sequence.size()));
  std::vector<size_t> counts(chain.steps.size());
  auto place = std::ranges::find(places, taken.front().place);
  bool has_operation = false;
  for (size_t i = 0; i < taken.size(); ++i, ++place) {
    if (place == places.end() || *place != taken[i].place) return false;
    const Letter letter = *place < 0                  ? block.start()
                          : place + 1 == places.end() ? block.end()
                                                      : sequence[static_cast<size_t>(*place)];
    const uint32_t step = taken[i].step;
    if (i > 0 && step < taken[i - 1].step) return false;
    if ((chain.takes[letter] >> step & 1) == 0) return false;
    ++counts[step];
    const bool inside = chain.first <= step && step <= chain.last;
    if (inside && letter >= block.letters) return false;
    has_operation |= inside && *place == static_cast<Place>(operation);
  }
  for (size_t s = 0; s < counts.size(); ++s) {
    if (counts[s] == 0 && !chain.steps[s].optional) return false;
    if (counts[s] > 1 && !chain.steps[s].repeated) return false;
  }
  return has_operation;
}

bool is_right(const Block& block, const std::vector<Letter>& sequence, uint32_t operation) {
  test::SlowMatcher slow(block);
  const std::vector<uint32_t> final_rules = slow.label(sequence);
  std::vector<uint32_t> rule_of;
  Matcher(block).label_by_rules(sequence, rule_of);
  const OperationExplained explained = explain(block, sequence, operation);
  if (explained.rule != final_rules[operation]) return false;
  if (explained.continued_from.has_value() != (rule_of[operation] != final_rules[operation])) {
    return false;
  }
  if (explained.continued_from &&
      final_rules[*explained.continued_from] != final_rules[operation]) {
    return false;
  }
  for (uint32_t rule = 0; rule < block.rules.size(); ++rule) {
    const Explanation& explanation = explained.rules[rule];
    if ((explanation.outcome == Outcome::labelled) != (rule_of[operation] == rule)) return false;
    if (!block.rules[rule].chain) continue;
    const Chain& chain = *block.rules[rule].chain;
    const bool matches =
        explanation.outcome == Outcome::labelled || explanation.outcome == Outcome::also_matches;
    if (matches && !is_match(block, chain, sequence, operation, explanation.taken)) return false;
    if ((explanation.outcome == Outcome::stopped) != (explanation.left || explanation.right)) {
      return false;
    }
    const bool sees = block.scopes[chain.scope].sees(sequence[operation]);
    if ((explanation.outcome == Outcome::not_seen) == sees) return false;
    if (sees && matches != slow.could_label(rule, sequence, operation, rule_of)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("explanations are true") {
  std::mt19937 random(3);
  const test::RandomBlocks blocks{random};
  // Without looking at labels of others (ChainExplainer::walk): 3.
  const uint64_t count = test::rounds(1000, 3);
  for (uint64_t round = 0; round < count; ++round) {
    CAPTURE(round);
    const Block block = blocks.make();
    const std::vector<Letter> sequence = blocks.sequence(block, 12);
    for (uint32_t operation = 0; operation < sequence.size(); ++operation) {
      REQUIRE(is_right(block, sequence, operation));
    }
  }
}
