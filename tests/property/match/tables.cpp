// TableMatcher and outcomes against rules asked one after another.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "match/evaluate.hpp"
#include "support/program.hpp"

using namespace kr;

namespace {

constexpr uint32_t atoms = 70;  // more than one word of an AtomSet

/// What an expression means, as plainly as it can be said.
bool plainly(const Program& program, ExprId id, const AtomSet& name, const OperationKind* kind,
             std::span<const AtomSet> within) {
  const Expr& expr = program.exprs.get(id);
  const auto operand = [&](ExprId one) { return plainly(program, one, name, kind, within); };
  switch (expr.op) {
    case ExprOp::atom:
      return name.has(expr.atom);
    case ExprOp::operation:
      return kind != nullptr && *kind == expr.operation;
    case ExprOp::within:
      return std::any_of(within.begin(), within.end(), [&](const AtomSet& enclosing) {
        return plainly(program, expr.operands[0], enclosing, nullptr, {});
      });
    case ExprOp::negation:
      return !operand(expr.operands[0]);
    case ExprOp::conjunction:
      return std::all_of(expr.operands.begin(), expr.operands.end(), operand);
    case ExprOp::disjunction:
      return std::any_of(expr.operands.begin(), expr.operands.end(), operand);
  }
  return false;
}

class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  AtomSet set() {
    AtomSet set(atoms);
    const unsigned density = 1 + below(20);
    for (uint32_t i = 0; i < atoms; ++i) {
      if (below(density) == 0) set.add({i});
    }
    return set;
  }

  OperationKind kind() { return operation_kinds[below(3)]; }

  ExprId expression(test::ProgramBuilder& rules, int depth) {
    // Parts are shared now and then, as patterns are.
    if (!known_.empty() && below(6) == 0) {
      return known_[below(static_cast<unsigned>(known_.size()))];
    }
    const ExprId id = fresh(rules, depth);
    known_.push_back(id);
    return id;
  }

  /// Atoms joined by `|`, as most rules are.
  ExprId plain(test::ProgramBuilder& rules) {
    std::vector<ExprId> operands;
    for (unsigned i = 0; i < 2 + below(3); ++i) operands.push_back(rules.atom({below(atoms)}));
    return below(3) == 0 ? operands[0] : rules.join(ExprOp::disjunction, operands);
  }

 private:
  ExprId fresh(test::ProgramBuilder& rules, int depth) {
    const unsigned what = depth == 0 ? below(8) : 3 + below(9);
    if (what == 3) return rules.operation(kind());
    if (what < 6) return rules.atom({below(atoms)});
    if (depth == 0) return rules.atom({below(atoms)});
    if (what == 6) return rules.join(ExprOp::within, {expression(rules, depth - 1)});
    if (what == 7) return rules.join(ExprOp::negation, {expression(rules, depth - 1)});
    std::vector<ExprId> operands;
    for (unsigned i = 0; i < 2 + below(2); ++i) operands.push_back(expression(rules, depth - 1));
    return rules.join(what < 10 ? ExprOp::conjunction : ExprOp::disjunction, operands);
  }

  std::mt19937 random_;
  std::vector<ExprId> known_;
};

struct Case {
  test::ProgramBuilder rules;
  Table table;
};

void fill(Case& one, Random& random) {
  for (uint32_t i = 0; i < atoms; ++i) one.rules.program.atoms.add({});
  for (unsigned i = 0; i < random.below(12); ++i) {
    const ExprId expr =
        random.below(2) == 0 ? random.plain(one.rules) : random.expression(one.rules, 3);
    one.table.rules.push_back(one.rules.rule(expr));
  }
  if (random.below(2) == 0) one.table.otherwise = one.rules.rule({});
}

std::optional<RuleId> first_that_holds(const Case& one, const Subject& subject,
                                       std::vector<RuleId>* also = nullptr) {
  std::optional<RuleId> first;
  for (const RuleId id : one.table.rules) {
    const ExprId expr = one.rules.program.rules.get(id).expr;
    if (!plainly(one.rules.program, expr, *subject.name, &subject.kind, subject.within)) continue;
    if (!first) {
      first = id;
    } else if (also != nullptr) {
      also->push_back(id);
    }
  }
  return first ? first : one.table.otherwise;
}

}  // namespace

TEST_CASE("tables give the first rule that holds") {
  constexpr unsigned seed = 31'337;
  INFO("seed " << seed);
  Random random(seed);
  for (int round = 0; round < 3'000; ++round) {
    Random own(seed + static_cast<unsigned>(round));
    Case one;
    fill(one, own);
    const Program& program = one.rules.program;
    const TableMatcher matcher(program, one.table);
    bool differs_within = false;
    for (int i = 0; i < 12; ++i) {
      const AtomSet name = own.set();
      std::vector<AtomSet> within;
      for (unsigned j = 0; j < own.below(3); ++j) within.push_back(own.set());
      const Subject subject{&name, own.kind(), within};
      std::vector<RuleId> also;
      const auto expected = first_that_holds(one, subject, &also);
      REQUIRE(matcher.match(subject) == expected);
      REQUIRE(also_hold(program, one.table, subject) == also);
      const Subject alone{&name, subject.kind, {}};
      differs_within = differs_within || first_that_holds(one, alone) != expected;
    }
    REQUIRE((matcher.looks_within() || !differs_within));
  }
}

TEST_CASE("whatever comes out is among the outcomes") {
  constexpr unsigned seed = 99;
  INFO("seed " << seed);
  for (int round = 0; round < 2'000; ++round) {
    Random random(seed + static_cast<unsigned>(round));
    Case one;
    fill(one, random);
    const AtomSet name = random.set();
    const std::optional<OperationKind> kind =
        random.below(2) == 0 ? std::optional(random.kind()) : std::nullopt;
    const auto open = outcomes(one.rules.program, one.rules.sources, one.table,
                               {.name = &name, .kind = kind, .within = std::nullopt});
    const auto settled =
        outcomes(one.rules.program, one.rules.sources, one.table,
                 {.name = &name, .kind = kind, .within = std::span<const AtomSet>()});
    REQUIRE_FALSE(open.empty());
    const auto has = [](const std::vector<Outcome>& all, std::optional<RuleId> rule) {
      return std::any_of(all.begin(), all.end(),
                         [&](const Outcome& outcome) { return outcome.rule == rule; });
    };
    std::vector<std::optional<RuleId>> seen;
    for (const OperationKind each : operation_kinds) {
      if (kind && *kind != each) continue;
      seen.push_back(first_that_holds(one, {&name, each, {}}));
      REQUIRE(has(settled, seen.back()));
      for (int i = 0; i < 8; ++i) {
        std::vector<AtomSet> within;
        for (unsigned j = 0; j < 1 + random.below(3); ++j) within.push_back(random.set());
        REQUIRE(has(open, first_that_holds(one, {&name, each, within})));
      }
    }
    // With the context given nothing is left open, so that nothing else can come out.
    for (const Outcome& outcome : settled) {
      REQUIRE(std::find(seen.begin(), seen.end(), outcome.rule) != seen.end());
    }
    if (kind) REQUIRE((settled.size() == 1 && settled[0].conditions.empty()));
  }
}
