// Compares recalled proofs with new ones, over edits of a set of rules.
#include "prove/memo.hpp"

#include <doctest/doctest.h>

#include "prove/prover.hpp"
#include "support/patterns.hpp"
#include "support/rounds.hpp"

using namespace kr;
using namespace kr::prove;

namespace {

unsigned below(std::mt19937& random, unsigned n) {
  return static_cast<unsigned>(random() % n);
}

/// A rule as written, which any arena can convert to a formula.
struct Written {
  Op op = Op::atom;
  regex::Regex regex;
  OperationKind kind = OperationKind::kernel;
  std::vector<Written> operands;
};

regex::Regex some_regex(std::mt19937& random) {
  while (true) {
    auto regex = test::parsed(test::random_pattern(random, static_cast<int>(below(random, 3))));
    if (regex) return std::move(*regex);
  }
}

Written some_rule(std::mt19937& random, int depth, bool enclosing) {
  Written made;
  if (depth == 0 || below(random, 3) == 0) {
    if (!enclosing && below(random, 8) == 0) {
      made.op = Op::operation;
      made.kind = static_cast<OperationKind>(below(random, 3));
    } else if (!enclosing && below(random, 8) == 0) {
      made.op = Op::within;
      made.operands.push_back(some_rule(random, 1, true));
    } else {
      made.regex = some_regex(random);
    }
    return made;
  }
  constexpr Op ops[] = {Op::negation, Op::conjunction, Op::disjunction};
  made.op = ops[below(random, 3)];
  for (unsigned i = made.op == Op::negation ? 1 : 2 + below(random, 2); i > 0; --i) {
    made.operands.push_back(some_rule(random, depth - 1, enclosing));
  }
  return made;
}

FormulaId formula(Formulas& formulas, const Written& written) {
  std::vector<FormulaId> operands;
  for (const Written& operand : written.operands) operands.push_back(formula(formulas, operand));
  switch (written.op) {
    case Op::atom:
      return formulas.atom(written.regex);
    case Op::operation:
      return formulas.operation(written.kind);
    case Op::within:
      return formulas.within(operands.front());
    default:
      return formulas.make(written.op, std::move(operands));
  }
}

/// Changes a text or the order of rules, as a person does.
void edit(std::mt19937& random, std::vector<Written>& rules) {
  Written& one = rules[below(random, static_cast<unsigned>(rules.size()))];
  switch (below(random, 4)) {
    case 0:
      std::swap(one, rules.front());
      break;
    case 1:
      std::reverse(one.operands.begin(), one.operands.end());
      break;
    default:
      one = some_rule(random, 2, false);
  }
}

struct Asked {
  std::vector<Finding> findings;

  /// The questions of lint: whether each rule is reached after those above it, and whether it
  /// matches any name.
  Asked(const std::vector<Written>& rules, Budget budget, ProofMemo* memo) {
    Formulas formulas;
    Prover prover(formulas, budget, memo);
    std::vector<FormulaId> above;
    for (const Written& rule : rules) {
      const FormulaId wanted = formula(formulas, rule);
      findings.push_back(prover.find(wanted));
      findings.push_back(prover.find(wanted, above));
      above.push_back(wanted);
    }
  }
};

void check_alike(const Asked& recalled, const Asked& anew) {
  REQUIRE(recalled.findings.size() == anew.findings.size());
  for (size_t i = 0; i < anew.findings.size(); ++i) {
    const Finding& one = recalled.findings[i];
    const Finding& other = anew.findings[i];
    REQUIRE(one.answer == other.answer);
    CHECK(one.witness.name == other.witness.name);
    CHECK(one.witness.kind == other.witness.kind);
    CHECK(one.witness.kind_matters == other.witness.kind_matters);
    CHECK(one.witness.within == other.witness.within);
  }
}

}  // namespace

TEST_CASE("a memo changes no answer, for any edit and any budget") {
  std::mt19937 random(11);
  size_t not_proven = 0;
  size_t found = 0;
  // A proof is recalled without a reserve: found in round 1.
  const uint64_t rounds = test::rounds(60, 1);
  for (uint64_t round = 0; round < rounds; ++round) {
    CAPTURE(round);
    ProofMemo memo;
    std::vector<Written> rules;
    for (int i = 0; i < 6; ++i) rules.push_back(some_rule(random, 2, false));
    for (int edits = 0; edits < 12; ++edits) {
      Budget budget;
      if (below(random, 2) == 0) {
        budget.states = 8 + below(random, 300);
        budget.all = 8 + below(random, 3000);
        budget.within = below(random, 4);
      }
      const Asked anew(rules, budget, nullptr);
      check_alike(Asked(rules, budget, &memo), anew);
      check_alike(Asked(rules, budget, &memo), anew);
      for (const Finding& one : anew.findings) {
        not_proven += one.answer == Answer::not_proven ? 1 : 0;
        found += one.found() ? 1 : 0;
      }
      edit(random, rules);
    }
  }
  CHECK(not_proven > rounds);
  CHECK(found > 10 * rounds);
}
