#include "order/explain.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/error.hpp"
#include "support/order_rules.hpp"

using namespace kr;
using namespace kr::order;

namespace {

std::string shown(const std::optional<Stop>& stop) {
  if (!stop) return "";
  std::string text = fmt::format(" step {} at {}", stop->step, stop->place);
  if (stop->labelled_by != no_rule) text += fmt::format(" labelled by {}", stop->labelled_by);
  return text;
}

// `0:1 2:3`: the step that took each place.
std::string shown(const Explanation& explanation) {
  switch (explanation.outcome) {
    case Outcome::not_seen:
      return "not seen";
    case Outcome::not_taken:
      return "not taken";
    case Outcome::stopped:
      return "stopped" + shown(explanation.left) + shown(explanation.right);
    default:
      break;
  }
  std::string text = explanation.outcome == Outcome::labelled ? "labelled" : "also matches";
  for (const Taken& taken : explanation.taken) {
    text += fmt::format(" {}:{}", taken.place, taken.step);
  }
  return text;
}

std::string why(std::string_view rule, std::string_view sequence, uint32_t operation,
                std::string_view ignore = {}) {
  const Block block = test::block(rule, ignore);
  return shown(explain(block, test::letters(sequence), operation).rules.back());
}

}  // namespace

TEST_CASE("each place of a match has the step that took it") {
  CHECK(why("n > gn* > [g] > gn* > r* > k* > t", "nggxxrt", 1, "x") ==
        "labelled 0:0 1:2 2:3 5:4 6:6");
  CHECK(why("^ > n? > [g] > .* > $", "g", 0) == "labelled -1:0 0:2 1:4");
  // As few places as possible, before the brackets first.
  CHECK(why("n > gn* > [g]", "nngng", 4) == "labelled 3:0 4:2");
  CHECK(why("g+ > g* > [h] > g* > g", "gghgg", 2) == "labelled 1:0 2:2 3:4");
  // Earlier steps take as few as possible.
  CHECK(why("[g+ > g+] > x", "gggx", 1) == "labelled 0:0 1:1 2:1 3:2");
  CHECK(why("x", "ax", 1) == "labelled");
}

TEST_CASE("a rule that came too late") {
  CHECK(why("[g] > r, n > [g]", "ngr", 1) == "also matches 0:0 1:1");
  CHECK(why("n > [g > g], [g] > r", "nggr", 2) == "also matches 2:0 3:1");
  // Its own match was elsewhere.
  CHECK(why("[g > g]", "ggg", 2) == "also matches 1:0 2:1");
  CHECK(why("[g] > r, g", "gr", 0) == "also matches");
}

TEST_CASE("where a chain stopped") {
  CHECK(why("n > [g] > a? > o", "ngr", 1) == "stopped step 3 at 2");
  CHECK(why("n > [g] > a? > o", "ngar", 1) == "stopped step 3 at 3");
  CHECK(why("n > [g] > o", "xgo", 1) == "stopped step 0 at 0");
  CHECK(why("n > [g] > o", "xgx", 1) == "stopped step 0 at 0 step 2 at 2");
  CHECK(why("n > [g]", "g", 0) == "stopped step 0 at -1");
  CHECK(why("[g] > $ > .", "g", 0) == "stopped step 2 at 2");
  CHECK(why(". > ^ > [g]", "g", 0) == "stopped step 0 at -2");
  // In brackets, the operation behind it has a label.
  CHECK(why("x > [g], [g > g]", "gxg", 0) == "stopped step 1 at 1");
  CHECK(why("[g] > x, [g > g]", "ggx", 0) == "stopped step 1 at 1 labelled by 0");
  // Of several steps in brackets, the one that came furthest.
  CHECK(why("[g > g] > a > b", "gga", 0) == "stopped step 3 at 3");
}

TEST_CASE("operations that a rule does not consider") {
  CHECK(why("n > [g]", "nxg", 1, "x") == "not seen");
  CHECK(why("n > [g]", "nxg", 1) == "not taken");
  CHECK(why("x", "g", 0) == "not taken");
}

TEST_CASE("a continued operation") {
  const Block block = test::block("n > [g]", "x", "s");
  const OperationExplained explained = explain(block, test::letters("ngxs"), 3);
  CHECK(explained.rule == 0);
  CHECK(explained.continued_from == 1);
  CHECK(shown(explained.rules[0]) == "not seen");
  CHECK(!explain(block, test::letters("ngxs"), 1).continued_from);
  CHECK(explain(block, test::letters("s"), 0).rule == no_rule);
  CHECK_THROWS_AS(explain(block, test::letters("s"), 1), InternalError);
}
