// Compares TableMatcher and outcomes with the evaluation of one rule after another.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "match/evaluate.hpp"
#include "support/program.hpp"
#include "support/rounds.hpp"

using namespace kr;

namespace {

constexpr uint32_t atoms = 70;  // more than one word of an AtomSet

/// The meaning of an expression, computed in the simplest way.
bool plainly(const sema::Program& program, sema::ExprId id, const match::AtomSet& name,
             const OperationKind* kind, std::span<const match::AtomSet> within) {
  const sema::Expr& expr = program.exprs.get(id);
  const auto operand = [&](sema::ExprId one) { return plainly(program, one, name, kind, within); };
  switch (expr.op) {
    case sema::ExprOp::atom:
      return name.has(expr.atom);
    case sema::ExprOp::operation:
      return kind != nullptr && *kind == expr.operation;
    case sema::ExprOp::label:
      return false;  // of order rules
    case sema::ExprOp::own:
      return operand(expr.operands[0]);  // its atoms are of the own name
    case sema::ExprOp::within_op:
    case sema::ExprOp::op:
      return std::any_of(within.begin(), within.end(), [&](const match::AtomSet& enclosing) {
        return enclosing.has(expr.atom) &&
               plainly(program, expr.operands[0], enclosing, nullptr, {});
      });
    case sema::ExprOp::phase:
      return std::any_of(within.begin(), within.end(),
                         [&](const match::AtomSet& enclosing) { return enclosing.has(expr.atom); });
    case sema::ExprOp::within:
      return std::any_of(within.begin(), within.end(), [&](const match::AtomSet& enclosing) {
        return plainly(program, expr.operands[0], enclosing, nullptr, {});
      });
    case sema::ExprOp::negation:
      return !operand(expr.operands[0]);
    case sema::ExprOp::conjunction:
      return std::all_of(expr.operands.begin(), expr.operands.end(), operand);
    case sema::ExprOp::disjunction:
      return std::any_of(expr.operands.begin(), expr.operands.end(), operand);
  }
  return false;
}

class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  match::AtomSet set() {
    match::AtomSet set(atoms);
    const unsigned density = 1 + below(20);
    for (uint32_t i = 0; i < atoms; ++i) {
      if (below(density) == 0) set.add({i});
    }
    return set;
  }

  OperationKind kind() { return operation_kinds[below(3)]; }

  sema::ExprId expression(test::ProgramBuilder& rules, int depth) {
    // Parts are shared now and then, as patterns are.
    if (!known_.empty() && below(6) == 0) {
      return known_[below(static_cast<unsigned>(known_.size()))];
    }
    const sema::ExprId id = fresh(rules, depth);
    known_.push_back(id);
    return id;
  }

  /// Atoms joined by `|`, as most rules are.
  sema::ExprId plain(test::ProgramBuilder& rules) {
    std::vector<sema::ExprId> operands;
    for (unsigned i = 0; i < 2 + below(3); ++i) operands.push_back(rules.atom({below(atoms)}));
    return below(3) == 0 ? operands[0] : rules.join(sema::ExprOp::disjunction, operands);
  }

 private:
  sema::ExprId fresh(test::ProgramBuilder& rules, int depth) {
    const unsigned what = depth == 0 ? below(8) : 3 + below(9);
    if (what == 3) return rules.operation(kind());
    if (what < 6) return rules.atom({below(atoms)});
    if (depth == 0) return rules.atom({below(atoms)});
    if (what == 6) return rules.join(sema::ExprOp::within, {expression(rules, depth - 1)});
    if (what == 7) return rules.join(sema::ExprOp::negation, {expression(rules, depth - 1)});
    std::vector<sema::ExprId> operands;
    for (unsigned i = 0; i < 2 + below(2); ++i) operands.push_back(expression(rules, depth - 1));
    return rules.join(what < 10 ? sema::ExprOp::conjunction : sema::ExprOp::disjunction, operands);
  }

  std::mt19937 random_;
  std::vector<sema::ExprId> known_;
};

struct Case {
  test::ProgramBuilder rules;
  sema::Table table;
};

void fill(Case& one, Random& random) {
  for (uint32_t i = 0; i < atoms; ++i) one.rules.program.atoms.add({});
  for (unsigned i = 0; i < random.below(12); ++i) {
    const sema::ExprId expr =
        random.below(2) == 0 ? random.plain(one.rules) : random.expression(one.rules, 3);
    one.table.rules.push_back(one.rules.rule(expr));
  }
  if (random.below(2) == 0) one.table.otherwise = one.rules.rule({});
}

std::optional<sema::RuleId> first_that_holds(const Case& one, const match::Subject& subject,
                                             std::vector<sema::RuleId>* also = nullptr) {
  std::optional<sema::RuleId> first;
  for (const sema::RuleId id : one.table.rules) {
    const sema::ExprId expr = one.rules.program.rules.get(id).expr;
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

TEST_CASE("tables give the first rule that matches") {
  constexpr unsigned seed = 31'337;
  INFO("seed " << seed);
  Random random(seed);
  // A name with one text of two rules is of the later rule: found in round 2.
  for (uint64_t round = 0; round < test::rounds(3000, 2); ++round) {
    CAPTURE(round);
    Random own(seed + static_cast<unsigned>(round));
    Case one;
    fill(one, own);
    const sema::Program& program = one.rules.program;
    const match::TableMatcher matcher(program, one.table);
    bool differs_within = false;
    for (int i = 0; i < 12; ++i) {
      const match::AtomSet name = own.set();
      std::vector<match::AtomSet> within;
      for (unsigned j = 0; j < own.below(3); ++j) within.push_back(own.set());
      const match::Subject subject{&name, own.kind(), within};
      std::vector<sema::RuleId> also;
      const auto expected = first_that_holds(one, subject, &also);
      REQUIRE(matcher.match(subject) == expected);
      REQUIRE(match::later_matches(program, one.table, subject) == also);
      const match::Subject alone{&name, subject.kind, {}};
      differs_within = differs_within || first_that_holds(one, alone) != expected;
    }
    REQUIRE((matcher.uses_within() || !differs_within));
  }
}

TEST_CASE("every result is among the outcomes") {
  constexpr unsigned seed = 99;
  INFO("seed " << seed);
  // Behind a rule that holds, `otherwise` may come, too: found in round 2.
  for (uint64_t round = 0; round < test::rounds(2000, 2); ++round) {
    CAPTURE(round);
    Random random(seed + static_cast<unsigned>(round));
    Case one;
    fill(one, random);
    const match::AtomSet name = random.set();
    const std::optional<OperationKind> kind =
        random.below(2) == 0 ? std::optional(random.kind()) : std::nullopt;
    const auto open = match::outcomes(one.rules.program, one.rules.sources, one.table,
                                      {.name = &name, .kind = kind, .within = std::nullopt});
    const auto settled =
        match::outcomes(one.rules.program, one.rules.sources, one.table,
                        {.name = &name, .kind = kind, .within = std::span<const match::AtomSet>()});
    REQUIRE_FALSE(open.empty());
    const auto has = [](const std::vector<match::Outcome>& all, std::optional<sema::RuleId> rule) {
      return std::any_of(all.begin(), all.end(),
                         [&](const match::Outcome& outcome) { return outcome.rule == rule; });
    };
    std::vector<std::optional<sema::RuleId>> seen;
    for (const OperationKind each : operation_kinds) {
      if (kind && *kind != each) continue;
      seen.push_back(first_that_holds(one, {&name, each, {}}));
      REQUIRE(has(settled, seen.back()));
      for (int i = 0; i < 8; ++i) {
        std::vector<match::AtomSet> within;
        for (unsigned j = 0; j < 1 + random.below(3); ++j) within.push_back(random.set());
        REQUIRE(has(open, first_that_holds(one, {&name, each, within})));
      }
    }
    // With the context given nothing is left open, so that nothing else can come out.
    for (const match::Outcome& outcome : settled) {
      REQUIRE(std::find(seen.begin(), seen.end(), outcome.rule) != seen.end());
    }
    if (kind) REQUIRE((settled.size() == 1 && settled[0].conditions.empty()));
  }
}
