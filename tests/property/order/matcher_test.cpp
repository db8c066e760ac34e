// The matcher against one that is made from the definition.
#include "order/matcher.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/order_blocks.hpp"
#include "support/rounds.hpp"

using namespace kr;
using namespace kr::order;

namespace {

std::string shown(const Block& block) {
  std::string text;
  for (const OrderRule& rule : block.rules) {
    if (!rule.chain) {
      text += fmt::format("ordinary {}\n", rule.letters);
      continue;
    }
    const Chain& chain = *rule.chain;
    for (size_t s = 0; s < chain.steps.size(); ++s) {
      text += s == chain.first ? " [" : " ";
      for (size_t letter = 0; letter < chain.takes.size(); ++letter) {
        if ((chain.takes[letter] >> s & 1) != 0) text += static_cast<char>('a' + letter);
      }
      if (chain.steps[s].optional) text += '?';
      if (chain.steps[s].repeated) text += '+';
      if (s == chain.last) text += ']';
    }
    text += fmt::format(" in scope {}\n", chain.scope);
  }
  for (const Scope& scope : block.scopes) {
    text += fmt::format("ignore {} continue {}\n", scope.passes, scope.continues);
  }
  return text;
}

// Fails the test at the first difference, which `shown` prints.
bool same(const Block& block, const Matcher& matcher, const std::vector<Letter>& sequence) {
  std::vector<Match> wanted_matches;
  const std::vector<uint32_t> wanted = test::SlowMatcher(block).label(sequence, &wanted_matches);
  std::vector<Match> matches;
  std::vector<uint32_t> rule_of;
  matcher.label(sequence, rule_of, [&](const Match& match) { matches.push_back(match); });
  // The order of matches of different rules does not matter.
  std::ranges::stable_sort(matches, {}, &Match::rule);
  if (rule_of == wanted && matches == wanted_matches) return true;
  CHECK_MESSAGE(false, fmt::format("{}{}: {}, not {}", shown(block), sequence, rule_of, wanted));
  return false;
}

// All chains of that many steps, each of which takes one of the sets of letters.
void all_chains(size_t steps, const std::vector<std::vector<Letter>>& sets, size_t most) {
  Block block;
  block.letters = 2;
  block.scopes.push_back({{0, 0}, {0, 0}});
  block.rules.emplace_back();
  Chain& chain = block.rules[0].chain.emplace();
  chain.steps.resize(steps);
  size_t kinds = 1;
  for (size_t i = 0; i < steps; ++i) kinds *= sets.size() * 4;
  for (size_t kind = 0; kind < kinds; ++kind) {
    chain.takes.assign(4, 0);
    size_t rest = kind;
    for (size_t s = 0; s < steps; ++s) {
      for (const Letter letter : sets[rest % sets.size()]) chain.takes[letter] |= uint64_t{1} << s;
      rest /= sets.size();
      chain.steps[s] = {rest % 2 != 0, rest / 2 % 2 != 0};
      rest /= 4;
    }
    for (chain.first = 0; chain.first < steps; ++chain.first) {
      for (chain.last = chain.first; chain.last < steps; ++chain.last) {
        const Matcher matcher(block);
        if (!test::each_sequence(
                2, most, [&](const auto& sequence) { return same(block, matcher, sequence); })) {
          return;
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("all chains of up to three steps on all short sequences") {
  const bool is_long = std::getenv("KR_LONG") != nullptr;
  const size_t most = is_long ? 6 : KR_ADDRESS_SANITIZER != 0 ? 2 : 4;
  all_chains(1, {{0}, {1}, {0, 1}, {0, 2}, {1, 3}, {2}, {3}, {0, 1, 2, 3}}, 6);
  all_chains(2, {{0}, {1}, {0, 1}, {0, 2}, {1, 3}, {0, 1, 2, 3}}, most + 1);
  all_chains(3, {{0}, {1}, {0, 1}}, most);
}

TEST_CASE("random rules on random sequences") {
  std::mt19937 random(1);
  const test::RandomBlocks blocks{random};
  // With operations in a stretch that have labels (JointLabels::label_long): 44.
  const uint64_t count = test::rounds(3000, 44);
  for (uint64_t round = 0; round < count; ++round) {
    CAPTURE(round);
    const Block block = blocks.make();
    // With few states, each chain goes over the sequence by itself.
    const Matcher matcher(block, round % 3 == 0 ? round % 9 : Matcher::max_states);
    for (int i = 0; i < 6; ++i) {
      if (!same(block, matcher, blocks.sequence(block, 24))) return;
    }
  }
}

TEST_CASE("chains of up to 64 steps") {
  std::mt19937 random(2);
  test::RandomBlocks blocks{random};
  blocks.letters = 2;
  blocks.steps = 64;
  blocks.rules = 2;
  // Without `i >= behind` (Sweep::label): 117.
  const uint64_t count = test::rounds(1200, 117);
  for (uint64_t round = 0; round < count; ++round) {
    CAPTURE(round);
    Block block = blocks.make();
    // Long chains rarely match: most of their steps take everything.
    for (OrderRule& rule : block.rules) {
      if (!rule.chain) continue;
      if (round % 2 == 0) rule.chain->steps.resize(64, {true, false});
      for (uint64_t& taken : rule.chain->takes) taken |= random() | (uint64_t{random()} << 32);
    }
    const Matcher matcher(block, round % 4 < 2 ? 0 : Matcher::max_states);
    if (!same(block, matcher, blocks.sequence(block, 70))) return;
  }
}
