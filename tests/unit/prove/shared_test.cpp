// Formulas that share their parts: without sharing they would have 2^200 parts.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "prove/prover.hpp"

using namespace kr;
using namespace kr::prove;

namespace {

FormulaId literal_of(Formulas& formulas, std::string_view what) {
  return formulas.atom(regex::literal(what, false, false, false));
}

/// `step` makes the next level from the previous one and a new text.
template <class Step>
FormulaId levels(Formulas& formulas, FormulaId first, Step step) {
  FormulaId level = first;
  for (int i = 0; i < 200; ++i) level = step(level, literal_of(formulas, fmt::format("x{}y", i)));
  return level;
}

}  // namespace

TEST_CASE("formulas that share parts are evaluated in their size") {
  Formulas formulas;
  Prover prover(formulas);
  const auto twice = [&](FormulaId level, FormulaId own) {
    return formulas.any(
        {formulas.all({level, own}), formulas.negation(formulas.any({level, own}))});
  };
  const FormulaId mixed = levels(formulas, literal_of(formulas, "z"), twice);
  Witness subject;
  subject.name = "nothing of it";
  // Every level negates the previous one: false, true, false, …
  CHECK(!prover.holds(mixed, subject));
  CHECK(prover.holds(formulas.negation(mixed), subject));
  subject.name = "z";
  CHECK(prover.holds(mixed, subject));
}

TEST_CASE("formulas that share parts are searched in bounded work") {
  Formulas formulas;
  Prover prover(formulas);
  const auto both = [&](FormulaId level, FormulaId own) {
    return formulas.all({level, formulas.any({level, own})});
  };
  const FormulaId plain = levels(formulas, literal_of(formulas, "z"), both);
  const Finding found = prover.find(plain);
  REQUIRE(found.found());
  CHECK(found.witness.name == "z");
  const FormulaId within = levels(formulas, formulas.within(plain), both);
  const Finding enclosed = prover.find(within);
  REQUIRE(enclosed.found());
  CHECK(enclosed.witness.within == std::vector<std::string>{"z"});
  CHECK(prover.holds(within, enclosed.witness));
}

TEST_CASE("all questions together stay within their allowance") {
  Formulas formulas;
  Allowance allowance(20000);
  Prover prover(formulas, {}, nullptr, &allowance);
  const auto from_end = [&](int n) {
    diag::Sink sink;
    const auto regex = regex::parse(fmt::format("a.{{{}}}$", n), {}, {}, sink);
    REQUIRE(regex.has_value());
    return formulas.atom(*regex);
  };
  std::vector<FormulaId> above;
  size_t open = 0;
  for (int n = 0; n < 39; ++n) {
    const FormulaId own = from_end(n);
    open += prover.find(own, above).answer == Answer::not_proven ? 1 : 0;
    above.push_back(own);
  }
  CHECK(open > 0);
  CHECK(allowance.ran_out());
  while (!allowance.is_used_up()) allowance.take(1000);
  // Then nothing is proven, not even easy questions.
  CHECK(prover.find(literal_of(formulas, "q")).answer == Answer::not_proven);
}

TEST_CASE("a question that nobody wants answered stops") {
  Formulas formulas;
  std::atomic<bool> stop = false;
  Allowance allowance(1000, &stop);
  Prover prover(formulas, {}, nullptr, &allowance);
  CHECK(prover.find(literal_of(formulas, "q")).found());
  stop = true;
  CHECK_THROWS_AS(prover.find(literal_of(formulas, "q")), Stopped);
}
