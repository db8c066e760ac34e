#include "order/matcher.hpp"

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "support/order_rules.hpp"

using namespace kr;
using namespace kr::order;
using test::labelled;

TEST_CASE("neighbours decide") {
  const Block block = test::block("n > [g] > r, t > [g], n > [g] > a, a > [g]");
  CHECK(labelled(block, "ngrtgngag") == "-0--1-2-3");
}

TEST_CASE("an operation that is passed over is not seen") {
  const Block block = test::block("n > [g] > r", "x");
  CHECK(labelled(block, "nxgxxr") == "--0---");
  CHECK(labelled(block, "nygyyr") == "------");
}

TEST_CASE("the bracket that begins first, then the longest") {
  CHECK(labelled(test::block("[g+]"), "ggxg") == "00-0");
  CHECK(labelled(test::block("[g > g]"), "ggggg") == "0000-");
  CHECK(labelled(test::block("[g? > h]"), "ghh") == "000");
  // The first bracket ends where the right side still matches.
  CHECK(labelled(test::block("[g+] > g > x"), "gggx") == "00--");
}

TEST_CASE("an operation in brackets has no label yet, others may have one") {
  const Block block = test::block("[g] > x, g > [g], [g > g]");
  CHECK(labelled(block, "ggx") == "-0-");
  CHECK(labelled(block, "ggg") == "-11");
  CHECK(labelled(test::block("[g] > x, [g > g], [g]"), "ggx") == "20-");
}

TEST_CASE("neighbours of a match may belong to an earlier match of the same rule") {
  CHECK(labelled(test::block("g > [g]"), "ggg") == "-00");
}

TEST_CASE("the ends of a sequence are places") {
  CHECK(labelled(test::block("^ > [g], [g] > $"), "ggg") == "0-1");
  CHECK(labelled(test::block("[.] > $"), "gh") == "-0");
  CHECK(labelled(test::block("x > [g] > h | $"), "xghxggxg") == "-0-----0");
  // Brackets never take them.
  CHECK(labelled(test::block("[g > $]"), "g") == "-");
  CHECK(labelled(test::block("^ > $ > [g]"), "") == "");
}

TEST_CASE("an ordinary rule labels what is passed over") {
  CHECK(labelled(test::block("x, n > [g]", "x"), "nxgx") == "-010");
}

TEST_CASE("a continued operation gets the label of the operation before it") {
  const Block block = test::block("n > [g], h > [n]", "x", "s");
  CHECK(labelled(block, "ngxssgs") == "-0-00--");
  CHECK(labelled(block, "sns") == "---");
  // It is not seen itself.
  CHECK(labelled(block, "nsg") == "--0");
}

TEST_CASE("matches are reported with the places that they labelled") {
  const Block block = test::block("[g > g+], [g]", "x");
  Matcher matcher(block);
  std::vector<Match> matches;
  std::vector<uint32_t> rule_of;
  matcher.label(test::letters("xgxgnxg"), rule_of,
                [&](const Match& match) { matches.push_back(match); });
  CHECK(matches == std::vector<Match>{{0, 1, 3}, {1, 6, 6}});
}

TEST_CASE("blocks that are not consistent are refused") {
  Block block = test::block("n > [g]");
  block.rules[0].chain->last = 2;
  CHECK_THROWS_AS(Matcher{block}, InternalError);
  block = test::block("n > [g]");
  block.rules[0].chain->takes.pop_back();
  CHECK_THROWS_AS(Matcher{block}, InternalError);
  Matcher matcher(test::block("n > [g]"));
  std::vector<uint32_t> rule_of;
  CHECK_THROWS_AS(matcher.label(std::vector<Letter>{1000}, rule_of), InternalError);
}
