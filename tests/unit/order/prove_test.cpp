#include "order/prove.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <numeric>

#include "support/order_rules.hpp"
#include "support/order_tables.hpp"

using namespace kr;
using namespace kr::order;

namespace {

// `ngr@1`: a sequence and the place of its operation.
std::string shown(const std::optional<Witness>& witness) {
  if (!witness) return "";
  return fmt::format("{}@{}", test::text_of(witness->sequence), witness->operation);
}

std::string shown(const RuleProof& proof) {
  const std::string example = shown(proof.witness);
  switch (proof.verdict) {
    case Verdict::alive:
      return "alive " + example;
    case Verdict::never_matches:
      return "never matches" + example;
    case Verdict::covered: {
      std::string text = "covered " + example + " by";
      for (const uint32_t rule : proof.covered_by) text += fmt::format(" {}", rule);
      return text;
    }
    default:
      return "not decided" + example;
  }
}

// Of the last rule.
std::string proved(std::string_view rules, std::string_view ignore = {},
                   const ProofBudget& budget = {}) {
  return shown(prove(test::block(rules, ignore), budget).back());
}

std::string compared(std::string_view a, std::vector<uint32_t> labels_a, std::string_view b,
                     std::vector<uint32_t> labels_b) {
  const BlockComparison comparison = compare(test::block(a), labels_a, test::block(b), labels_b);
  switch (comparison.result) {
    case Equality::equal:
      return "equal";
    case Equality::different:
      return shown(comparison.witness);
    default:
      return "not decided";
  }
}

std::vector<uint32_t> own_labels(const Block& block) {
  std::vector<uint32_t> labels(block.rules.size());
  std::iota(labels.begin(), labels.end(), 0);
  return labels;
}

}  // namespace

TEST_CASE("a rule that labels something has a shortest sequence") {
  CHECK(proved("n > [g] > r") == "alive ngr@1");
  CHECK(proved("n > [g], [g] > r") == "alive gr@0");
  CHECK(proved("n > [g], gn > [g] > r") == "alive ggr@1");
  CHECK(proved("^ > [g] > $") == "alive g@0");
  CHECK(proved("n > [g], g") == "alive g@0");
}

TEST_CASE("a rule that matches nothing") {
  CHECK(proved("n > ^ > [g]") == "never matches");
  CHECK(proved("[g] > $ > .") == "never matches");
  CHECK(proved("n > [x]", "x") == "never matches");
  CHECK(proved("x > [g]", "x") == "never matches");
}

TEST_CASE("a rule for which earlier rules leave nothing") {
  CHECK(proved("[g] > r, n > [g] > r") == "covered ngr@1 by 0");
  CHECK(proved("[g] > r, [g] > $, n > [g] > r | $") == "covered ng@1 by 0 1");
  // Whatever follows.
  CHECK(proved("n > [g] > ., n > [g] > $, n > [g]") == "covered ng@1 by 0 1");
  CHECK(proved("g, n > [g]") == "covered ng@1 by 0");
  CHECK(proved("n > [g], n > n > n > [g]") == "covered nnng@3 by 0");
}

TEST_CASE("longer brackets") {
  CHECK(proved("[g > g]") == "alive gg@0");
  // An operation that fills the brackets alone is surely labelled.
  CHECK(proved("n > [g+], n > [g] > r") == "covered ngr@1 by 0");
  CHECK(proved("n > [g+], [g > g]") == "alive gg@0");
  CHECK(proved("n > [g] > r, [g+]") == "alive g@0");
  // Its brackets cannot end.
  CHECK(proved("[g] > r, [g > g] > r") == "covered ggr@0 by 0");
  // Every second operation, depending on how many there are.
  CHECK(proved("[g > g], g > g > [g]") == "alive ggg@2");
  // Each operation belongs to a pair, but that is more than kr knows.
  CHECK(proved("[g > h], [h] > $, g > [h]") == "not decided");
}

TEST_CASE("the budget") {
  // Too few sets of steps: what is known of a rule alone, and of two rules.
  const ProofBudget few{4, 1000, 10};
  CHECK(proved("n > g > [g] > r, n > ^ > [g]", "", few) == "never matches");
  CHECK(proved("n > [g], r > r > r > n > [g]", "", {1, 1000, 10}) == "not decided");
  CHECK(proved("b > n > [g], a > r, n > [g], n > [g] > r", "", {6, 1000, 10}) ==
        "covered ngr@1 by 2");
}

TEST_CASE("a proof that is stopped claims nothing") {
  const std::atomic<bool> stop = true;
  ProofBudget budget;
  budget.stop = &stop;
  const Block block = test::block("n > ^ > [g], [g] > r, n > [g] > r");
  for (const RuleProof& proof : prove(block, budget)) {
    CHECK(proof.verdict == Verdict::not_decided);
  }
  const std::vector<uint32_t> labels = own_labels(block);
  CHECK(compare(block, labels, block, labels, budget).result == Equality::not_decided);
}

TEST_CASE("tables of parts") {
  for (const std::string& rules :
       {std::string(test::dense_chains),
        fmt::format("{}, {}", test::moe_chains, test::dense_chains),
        fmt::format("{}, {}, {}", test::mla_chains, test::moe_chains, test::dense_chains)}) {
    const Block block = test::block(rules, "x");
    size_t covered = 0;
    for (const RuleProof& proof : prove(block)) {
      if (proof.verdict == Verdict::alive) continue;
      // moe_down, which `moe` has before it includes `dense`.
      CHECK(shown(proof).starts_with("covered mm@1 by"));
      ++covered;
    }
    CHECK(covered == (rules == test::dense_chains ? 0 : 1));
    const std::vector<uint32_t> labels = own_labels(block);
    CHECK(compare(block, labels, block, labels).result == Equality::equal);
  }
}

TEST_CASE("blocks that label everything the same way") {
  CHECK(compared("n > [g], a > [g]", {0, 1}, "a > [g], n > [g]", {1, 0}) == "equal");
  CHECK(compared("n > [g], a > [g]", {7, 7}, "na > [g]", {7}) == "equal");
  CHECK(compared("[g > g], g", {0, 1}, "[g > g], g > [g], ^ > [g], .g > [g], g", {0, 1, 1, 1, 1}) ==
        "equal");
  CHECK(compared("[g > h > x], [g > h > x], ghx", {0, 1, 1}, "[g > h > x], ghx", {0, 1}) ==
        "not decided");
}

TEST_CASE("a shortest sequence that two blocks label differently") {
  CHECK(compared("n > [g] > r", {0}, "n > [g]", {0}) == "ng@1");
  CHECK(compared("n > [g], [g] > r", {0, 1}, "[g] > r, n > [g]", {1, 0}) == "ngr@1");
  CHECK(compared("[g]", {0}, "[g]", {1}) == "g@0");
  CHECK(compared("", {}, "[g > g]", {1}) == "gg@0");
  CHECK(compared("[g > g], h", {0, 1}, "[g > g], h", {2, 1}) == "gg@0");
  CHECK(compared("[g > h > x], ghx", {0, 1}, "ghx", {1}) == "ghx@0");
  CHECK(compared("[g > h > x], [g > h > x], ghx", {0, 1, 1}, "ghx", {1}) == "ghx@0");
}

TEST_CASE("blocks that continue differently") {
  const std::vector<uint32_t> labels{0};
  const Block with = test::block("n > [g]", "", "s");
  const Block ignored = test::block("n > [g]", "s");
  CHECK(shown(compare(with, labels, ignored, labels).witness) == "ngs@2");
  CHECK(compare(with, labels, with, labels).result == Equality::equal);
}
