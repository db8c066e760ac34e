// Which names move between two random rulesets, against trying all short names.
#include "compare/moves.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <set>
#include <tuple>

#include "sema/load.hpp"
#include "support/patterns.hpp"
#include "support/rounds.hpp"

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

std::unique_ptr<sema::LoadedRules> load_text(const std::string& text) {
  diag::Sink sink;
  auto rules = sema::load_rules({{"test.kr", text, true, {}}}, sink);
  CAPTURE(text);
  REQUIRE(!sink.has_errors());
  return rules;
}

std::unique_ptr<sema::LoadedRules> load(const Lines& lines, const char* rest) {
  return load_text(
      fmt::format("engine e {{ substage {{\n{}\n{}\n}} }}", fmt::join(lines, "\n"), rest));
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
  // A rule is passed over if the other ends at its place: found in round 3.
  for (uint64_t round = 0; round < test::rounds(150, 3); ++round) {
    CAPTURE(round);
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

namespace {

/// Rules, the rules of a `refine` of one of their labels, and another dimension made of the labels:
/// together, and apart for a simple evaluation.
struct Refined {
  Lines rules;
  Lines refinement;

  Refined(Lines base, Lines refines) : rules(std::move(base)), refinement(std::move(refines)) {
    rules.insert(rules.end(), {"a: \"a\"", "b: \"b\""});  // all labels that are named below
    for (std::string& line : refinement) line[0] = static_cast<char>(line[0] + 3);  // d, e, f
    refinement.push_back("e: \"ab\"");
    whole = load_text(fmt::format(
        "engine e {{ substage {{\n{}\nrefine a {{\n{}\n}}\nc: otherwise }}\n"
        "stage from substage {{ x: a e\n y: b\n refine x {{ d: \"b\" }} z: otherwise }} }}",
        fmt::join(rules, "\n"), fmt::join(refinement, "\n")));
    base_rules = load(rules, "c: otherwise");
    refining = load(refinement, "a: otherwise");
  }
  std::string label(prove::Prover& prover, std::string_view dimension,
                    const prove::Witness& name) const {
    std::string label = label_of(prover, base_rules->program, name);
    if (label == "a") label = label_of(prover, refining->program, name);
    if (dimension == "substage") return label;
    if (label == "b") return "y";
    if (label != "a" && label != "e") return "z";
    return name.name.find('b') == name.name.npos ? "x" : "d";
  }

  std::unique_ptr<sema::LoadedRules> whole;
  std::unique_ptr<sema::LoadedRules> base_rules;
  std::unique_ptr<sema::LoadedRules> refining;
};

}  // namespace

TEST_CASE("the same of labels that are refined, and of a dimension made of another") {
  std::mt19937 random(5);
  const std::vector<std::string> names = test::small_names(3);
  size_t changes = 0;
  const uint64_t rounds = test::rounds(100, 3);
  for (uint64_t round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const Lines rules = random_rules(random);
    const Lines refinement = random_rules(random);
    const Refined before(rules, refinement);
    const Refined after(random() % 2 == 0 ? rules : changed(rules, random),
                        changed(refinement, random));
    const compare::Comparison comparison =
        compare::compare_programs(before.whole->program, after.whole->program);
    REQUIRE(comparison.proven);
    prove::Formulas formulas;
    prove::Prover prover(formulas);
    std::set<std::tuple<std::string, std::string, std::string>> found;
    for (const compare::Change& change : comparison.changes) {
      CHECK(before.label(prover, change.dimension, change.move.witness) == change.move.from);
      CHECK(after.label(prover, change.dimension, change.move.witness) == change.move.to);
      CHECK(found.emplace(change.dimension, change.move.from, change.move.to).second);
    }
    changes += found.size();
    for (const std::string& name : names) {
      prove::Witness subject;
      subject.name = name;
      CAPTURE(name);
      for (const char* dimension : {"substage", "stage"}) {
        std::string from = before.label(prover, dimension, subject);
        std::string to = after.label(prover, dimension, subject);
        if (from != to) REQUIRE(found.contains({dimension, from, to}));
      }
    }
  }
  CHECK(changes > rounds / 2);
}

TEST_CASE("examples move as said, and counts are those of labelling each name") {
  std::mt19937 random(11);
  const std::vector<std::string> all_names = test::small_names(4);
  size_t seen = 0, invented = 0;
  // The time of a name that occurs again is lost: found in round 12.
  const uint64_t rounds = test::rounds(150, 12);
  for (uint64_t round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const Lines old_lines = random_rules(random);
    // Some pairs of rulesets differ in everything.
    const Lines new_lines = round % 5 == 0 ? random_rules(random) : changed(old_lines, random);
    const auto old_rules = load(old_lines, "c: otherwise");
    const auto new_rules = load(new_lines, random() % 4 == 0 ? "" : "c: otherwise");
    std::vector<compare::SeenName> names;
    for (size_t i = 0; i < 30; ++i) {
      compare::SeenName& one = names.emplace_back();
      one.name = all_names[random() % all_names.size()];
      one.total_ns = static_cast<int64_t>(random() % 100);
      one.seen_in = static_cast<compare::SeenIn>(random() % 4);
    }
    // With databases, all names are scanned; without, only those that reach a rule that differs.
    const auto side = [round](const sema::Program& program) {
      return compare::ScannedProgram{
          &program, round % 2 == 0 ? match::Database::of_automata(program) : nullptr};
    };
    const compare::RuleChanges changes =
        compare::compare_rules(side(old_rules->program), side(new_rules->program), names);
    const compare::Comparison proven =
        compare::compare_programs(old_rules->program, new_rules->program);
    REQUIRE(changes.proven);
    // The same pairs of labels are found with and without names.
    using Pair = std::pair<std::string, std::string>;
    std::set<Pair> pairs, proven_pairs;
    for (const compare::Change& one : proven.changes) {
      proven_pairs.emplace(one.move.from, one.move.to);
    }
    prove::Formulas formulas;
    prove::Prover prover(formulas);
    std::map<Pair, int64_t> times;
    std::map<Pair, std::set<std::string>> moved;
    for (const compare::SeenName& one : names) {
      prove::Witness subject;
      subject.name = one.name;
      const Pair pair{label_of(prover, old_rules->program, subject),
                      label_of(prover, new_rules->program, subject)};
      if (pair.first == pair.second) continue;
      times[pair] += one.total_ns;
      moved[pair].insert(one.name);
    }
    for (const compare::CountedMove& one : changes.moves) {
      const compare::Move& move = one.change.move;
      const Pair pair{move.from, move.to};
      CAPTURE(move.witness.name);
      CHECK(pairs.insert(pair).second);
      CHECK(label_of(prover, old_rules->program, move.witness) == move.from);
      CHECK(label_of(prover, new_rules->program, move.witness) == move.to);
      CHECK(one.is_seen() == moved.contains(pair));
      CHECK(one.total_ns == times[pair]);
      CHECK(one.names + one.known_names == static_cast<int64_t>(moved[pair].size()));
      if (one.is_seen()) CHECK(moved[pair].contains(move.witness.name));
      ++(one.is_seen() ? seen : invented);
    }
    CHECK(pairs == proven_pairs);
  }
  CHECK(seen > rounds / 3);
  CHECK(invented > rounds / 5);
}
