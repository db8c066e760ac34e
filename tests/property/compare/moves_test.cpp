// Which names move between two random rulesets, against trying all short names.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <set>

#include "compare/compare.hpp"
#include "sema/load.hpp"
#include "support/patterns.hpp"

using namespace kr;

namespace {

std::string random_rule(std::mt19937& random) {
  const auto atom = [&]() -> std::string {
    const std::string pattern = test::random_pattern(random, static_cast<int>(random() % 3));
    return test::parsed(pattern) ? "/" + pattern + "/" : "\"ab\"";
  };
  switch (random() % 4) {
    case 0:
      return atom() + " & " + atom();
    case 1:
      return atom() + " & !" + atom();
    case 2:
      return atom() + " | " + atom();
    default:
      return atom();
  }
}

using Lines = std::vector<std::string>;

Lines random_rules(std::mt19937& random) {
  Lines lines;
  for (size_t i = 0; i < 4; ++i) {
    lines.push_back(fmt::format("{}: {}", "abc"[random() % 3], random_rule(random)));
  }
  return lines;
}

/// A version of the rules with one thing changed.
Lines changed(Lines lines, std::mt19937& random) {
  std::string& one = lines[random() % lines.size()];
  switch (random() % 4) {
    case 0:
      std::swap(one, lines[random() % lines.size()]);
      break;
    case 1:
      one += " | " + random_rule(random);
      break;
    case 2:
      one[0] = "abc"[random() % 3];
      break;
    default:
      one = fmt::format("a: {}", random_rule(random));
  }
  return lines;
}

std::unique_ptr<sema::LoadedRules> load(const Lines& lines, const char* rest) {
  const std::string text =
      fmt::format("engine e {{ substage {{\n{}\n{}\n}} }}", fmt::join(lines, "\n"), rest);
  diag::Sink sink;
  auto rules = sema::load_rules({{"test.kr", text, true, {}}}, sink);
  CAPTURE(text);
  REQUIRE(!sink.has_errors());
  return rules;
}

std::string label_of(prove::Prover& prover, const sema::Program& program,
                     const prove::Witness& name) {
  const sema::Table* table =
      program.models.get({0}).table(program.dimension("substage").value_or(sema::DimensionId{}));
  REQUIRE(table != nullptr);
  for (const sema::RuleId id : table->rules) {
    const sema::Rule& rule = program.rules.get(id);
    if (prover.holds(prover.formulas().of(program, rule.expr), name)) return rule.label;
  }
  return table->otherwise ? program.rules.get(*table->otherwise).label : "unclassified";
}

}  // namespace

TEST_CASE("the names that move are those that are found by trying") {
  std::mt19937 random(3);
  const std::vector<std::string> names = test::small_names(4);
  for (int round = 0; round < 150; ++round) {
    const Lines old_lines = random_rules(random);
    const auto old_rules = load(old_lines, "c: otherwise");
    const auto new_rules =
        load(changed(old_lines, random), random() % 4 == 0 ? "" : "c: otherwise");
    const compare::Comparison comparison =
        compare::compare_programs(old_rules->program, new_rules->program);
    REQUIRE(comparison.proven);
    prove::Formulas formulas;
    prove::Prover prover(formulas);
    std::set<std::pair<std::string, std::string>> found;
    for (const compare::Change& change : comparison.changes) {
      REQUIRE(change.dimension == "substage");
      CHECK(label_of(prover, old_rules->program, change.move.witness) == change.move.from);
      CHECK(label_of(prover, new_rules->program, change.move.witness) == change.move.to);
      CHECK(found.emplace(change.move.from, change.move.to).second);
    }
    for (const std::string& name : names) {
      prove::Witness subject;
      subject.name = name;
      const std::string from = label_of(prover, old_rules->program, subject);
      const std::string to = label_of(prover, new_rules->program, subject);
      CAPTURE(name);
      if (from != to) REQUIRE(found.contains({from, to}));
    }
  }
}
