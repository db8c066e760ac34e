// What is proved, against all short sequences.
#include "order/prove.hpp"

#include <doctest/doctest.h>

#include "support/order_blocks.hpp"
#include "support/rounds.hpp"

using namespace kr;
using namespace kr::order;

namespace {

// A shortest sequence up to a length in which the rule labels something.
std::optional<size_t> shortest(const Block& block, uint32_t rule, size_t most) {
  std::optional<size_t> length;
  test::each_sequence(block.letters, most, [&](const std::vector<Letter>& sequence) {
    test::SlowMatcher slow(block);
    slow.continues = false;
    if (std::ranges::count(slow.label(sequence), rule) != 0) length = sequence.size();
    return !length;
  });
  return length;
}

Block only(const Block& block, const std::vector<uint32_t>& rules) {
  Block few{block.letters, block.scopes, {}};
  for (const uint32_t rule : rules) few.rules.push_back(block.rules[rule]);
  return few;
}

// By rule number, the label: two neighbours share one now and then.
std::vector<uint32_t> labels_of(const Block& block) {
  std::vector<uint32_t> labels;
  for (uint32_t rule = 0; rule < block.rules.size(); ++rule) labels.push_back(rule * 2 / 3);
  return labels;
}

std::vector<uint32_t> labelled(const Block& block, const std::vector<uint32_t>& labels,
                               const std::vector<Letter>& sequence) {
  std::vector<uint32_t> rules = test::SlowMatcher(block).label(sequence);
  for (uint32_t& rule : rules) rule = rule == no_rule ? no_rule : labels[rule];
  return rules;
}

bool continues(const Block& block) {
  return std::ranges::any_of(block.scopes, [](const Scope& scope) {
    return std::ranges::any_of(scope.continues, [](uint8_t is) { return is != 0; });
  });
}

void check_rule(const Block& block, uint32_t rule, const RuleProof& proof, size_t most) {
  test::SlowMatcher slow(block);
  slow.continues = false;
  switch (proof.verdict) {
    case Verdict::alive:
      REQUIRE(proof.witness);
      REQUIRE(slow.label(proof.witness->sequence)[proof.witness->operation] == rule);
      return;
    case Verdict::never_matches:
      REQUIRE(!shortest(only(block, {rule}), 0, most));
      return;
    case Verdict::covered: {
      REQUIRE(!shortest(block, rule, most));
      std::vector<uint32_t> few = proof.covered_by;
      REQUIRE(!few.empty());
      REQUIRE(few.back() < rule);
      few.push_back(rule);
      REQUIRE(!shortest(only(block, few), static_cast<uint32_t>(few.size() - 1), most));
      REQUIRE(proof.witness);
      const Block alone = only(block, {rule});
      REQUIRE(std::ranges::count(test::SlowMatcher(alone).label(proof.witness->sequence), 0) > 0);
      return;
    }
    case Verdict::not_decided:
      return;
  }
}

}  // namespace

TEST_CASE("what is proved of rules with brackets of one step is true and complete") {
  std::mt19937 random(4);
  test::RandomBlocks blocks{random};
  blocks.letters = 3;
  blocks.rules = 4;
  blocks.steps = 3;
  blocks.one_step_brackets = true;
  // With `sure` regardless of what is behind (AllMeetings): 41 at most.
  const uint64_t count = test::rounds(3000, 41);
  size_t covered = 0;
  for (uint64_t round = 0; round < count; ++round) {
    CAPTURE(round);
    const Block block = blocks.make();
    const size_t most = block.letters == 1 ? 8 : block.letters == 2 ? 6 : 4;
    const std::vector<RuleProof> proofs = prove(block);
    REQUIRE(proofs.size() == block.rules.size());
    for (uint32_t rule = 0; rule < proofs.size(); ++rule) {
      REQUIRE(proofs[rule].verdict != Verdict::not_decided);
      check_rule(block, rule, proofs[rule], most);
      covered += proofs[rule].verdict == Verdict::covered ? 1 : 0;
      if (proofs[rule].verdict != Verdict::alive) continue;
      const size_t length = proofs[rule].witness->sequence.size();
      REQUIRE(shortest(block, rule, std::min(length, most)).value_or(length) == length);
    }
  }
  CHECK(covered > count / 10);
}

TEST_CASE("what is proved of rules with longer brackets is true") {
  std::mt19937 random(5);
  test::RandomBlocks blocks{random};
  blocks.letters = 3;
  blocks.rules = 4;
  blocks.steps = 4;
  // With is_open regardless of where brackets can end (RuleProver::decide): 115.
  const uint64_t count = test::rounds(3000, 115);
  size_t decided = 0;
  size_t all = 0;
  for (uint64_t round = 0; round < count; ++round) {
    CAPTURE(round);
    const Block block = blocks.make();
    const size_t most = block.letters == 1 ? 8 : block.letters == 2 ? 6 : 4;
    ProofBudget budget;
    if (round % 4 == 0) budget = {round % 7, 1000, round % 3};
    const std::vector<RuleProof> proofs = prove(block, budget);
    for (uint32_t rule = 0; rule < proofs.size(); ++rule) {
      check_rule(block, rule, proofs[rule], most);
      if (round % 4 == 0) continue;
      decided += proofs[rule].verdict != Verdict::not_decided ? 1 : 0;
      ++all;
    }
  }
  CHECK(decided * 10 > all * 9);
}

TEST_CASE("blocks are compared as all short sequences compare them") {
  std::mt19937 random(6);
  test::RandomBlocks blocks{random};
  blocks.letters = 3;
  blocks.rules = 4;
  blocks.steps = 3;
  // With equality regardless of `continue`: 134; of contenders with other labels: 64.
  const uint64_t count = test::rounds(8000, 134);
  size_t equal = 0;
  size_t decided = 0;
  for (uint64_t round = 0; round < count; ++round) {
    CAPTURE(round);
    blocks.one_step_brackets = round % 3 == 0;
    const Block a = blocks.make();
    Block b = a;
    const size_t changed = blocks.below(b.rules.size());
    switch (blocks.below(4)) {
      case 0:
        std::swap(b.rules[changed], b.rules.front());
        break;
      case 1:
        b.rules.erase(b.rules.begin() + static_cast<std::ptrdiff_t>(changed));
        break;
      case 2:
        if (b.rules[changed].chain) b.rules[changed].chain = blocks.chain(b);
        break;
      default:
        b.scopes.front().continues.front() ^= 1;
        break;
    }
    const std::vector<uint32_t> labels_a = labels_of(a);
    const std::vector<uint32_t> labels_b = labels_of(b);
    // Without sequences to try, only proofs count.
    ProofBudget budget;
    if (round % 2 == 0) budget.checks = 0;
    const BlockComparison comparison = compare(a, labels_a, b, labels_b, budget);
    const size_t most = a.letters < 3 ? 6 : 4;
    if (comparison.result == Equality::different) {
      ++decided;
      const std::vector<Letter>& sequence = comparison.witness->sequence;
      const uint32_t operation = comparison.witness->operation;
      REQUIRE(labelled(a, labels_a, sequence)[operation] !=
              labelled(b, labels_b, sequence)[operation]);
      // Nothing shorter differs.
      if (!blocks.one_step_brackets || continues(a) || continues(b)) continue;
      test::each_sequence(a.letters, std::min(sequence.size() - 1, most), [&](const auto& shorter) {
        REQUIRE(labelled(a, labels_a, shorter) == labelled(b, labels_b, shorter));
        return true;
      });
      continue;
    }
    if (comparison.result == Equality::not_decided) continue;
    ++equal;
    ++decided;
    test::each_sequence(a.letters, most, [&](const auto& sequence) {
      REQUIRE(labelled(a, labels_a, sequence) == labelled(b, labels_b, sequence));
      return true;
    });
  }
  CHECK(equal > count / 10);
  CHECK(decided > count * 4 / 10);
}
