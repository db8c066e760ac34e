// The Scanner (Hyperscan, constants, places, refused patterns) against the plain meaning of each
// expression.
#include <doctest/doctest.h>

#include <algorithm>

#include "base/sanitizer.hpp"
#include "match/database.hpp"
#include "support/patterns.hpp"
#include "support/program.hpp"
#include "support/reference_match.hpp"
#include "support/rounds.hpp"

using namespace kr;

namespace {

// As many patterns in a database as random ones below. Hyperscan compiles 400 in five times the
// time of seven times 60.
constexpr size_t batch = 60;

struct Counts {
  size_t patterns = 0;
  size_t refused = 0;
  size_t refused_with_matches = 0;
};

void check(const sema::Program& program, const std::vector<std::string>& names, Counts& counts) {
  const auto database = match::Database::compile(program, std::nullopt);
  counts.patterns += program.atoms.size();
  counts.refused += database->impl().refused.size();
  for (const sema::AtomId id : database->impl().refused) {
    // Next to nothing of usual size is refused that matches any of these names.
    CAPTURE(program.atoms.get(id).source);
    CHECK_FALSE(match::may_leave_hyperscan(program.atoms.get(id).regex));
    const regex::Nfa automaton(program.atoms.get(id).regex);
    const bool matches = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return !name.empty() && automaton.search(name);
    });
    counts.refused_with_matches += matches ? 1 : 0;
  }
  match::Scanner scanner(database);
  match::AtomSet set;
  for (const std::string& name : names) {
    scanner.scan(name, set);
    for (uint32_t i = 0; i < program.atoms.size(); ++i) {
      const sema::Atom& atom = program.atoms.get({i});
      if (test::ReferenceMatch(atom.regex, name).search() == set.has({i})) continue;
      CAPTURE(atom.source);
      CAPTURE(atom.hyperscan);
      CAPTURE(name);
      FAIL_CHECK("the scanner says " << set.has({i}));
    }
  }
}

}  // namespace

TEST_CASE("all small patterns on all short names") {
  Counts counts;
  // Under sanitizers, memory is checked: fewer patterns do.
  constexpr size_t max_pieces = KR_ADDRESS_SANITIZER != 0 ? 2 : 3;
  for (size_t pieces = 1; pieces <= max_pieces; ++pieces) {
    const std::vector<std::string> names = test::small_names(pieces < 3 ? 4 : 2);
    test::ProgramBuilder rules;
    test::each_small_pattern(pieces, [&](const std::string& pattern, const regex::Regex& regex) {
      rules.add(regex, pattern);
      if (rules.program.atoms.size() < batch) return;
      check(rules.program, names, counts);
      rules = test::ProgramBuilder();
    });
    check(rules.program, names, counts);
  }
  CHECK(counts.patterns > (KR_ADDRESS_SANITIZER != 0 ? 100 : 4'000));
  CHECK(counts.refused_with_matches <= counts.patterns / 500);
  MESSAGE(counts.patterns << " patterns, " << counts.refused << " refused by Hyperscan");
}

TEST_CASE("random larger patterns on random names") {
  constexpr unsigned seed = 20'250'131;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  Counts counts;
  // `{2,}` is written as `+`: found in round 1.
  for (uint64_t round = 0; round < test::rounds(20, 1); ++round) {
    CAPTURE(round);
    test::ProgramBuilder rules;
    while (rules.program.atoms.size() < 60) {
      const std::string pattern = test::random_pattern(random, 2 + static_cast<int>(round % 4));
      const bool ignore_case = random() % 8 == 0;
      if (auto regex = test::parsed(pattern, ignore_case)) rules.add(std::move(*regex), pattern);
    }
    std::vector<std::string> names = test::small_names(2);
    for (int i = 0; i < 60; ++i) names.push_back(test::random_name(random, 40));
    check(rules.program, names, counts);
  }
  CHECK(counts.refused_with_matches <= counts.patterns / 500);
  MESSAGE(counts.patterns << " patterns, " << counts.refused << " refused by Hyperscan");
}

TEST_CASE("texts by begin, end and case") {
  constexpr unsigned seed = 11;
  std::mt19937 random(seed);
  Counts counts;
  test::ProgramBuilder rules;
  for (int i = 0; i < 600; ++i) {
    std::string text = test::random_name(random, 4);
    if (text.empty()) text = "a";
    const unsigned how = static_cast<unsigned>(random());
    rules.text(text, (how & 1) != 0, (how & 2) != 0, (how & 4) != 0);
  }
  std::vector<std::string> names = test::small_names(2);
  for (int i = 0; i < 400; ++i) names.push_back(test::random_name(random, 12));
  check(rules.program, names, counts);
  CHECK(counts.refused == 0);
}

TEST_CASE("a memo remembers the results of the scanner") {
  constexpr unsigned seed = 7'002;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const auto memo = std::make_shared<match::MatchMemo>();
  std::vector<std::string> names = test::small_names(2);
  names.emplace_back();
  for (int i = 0; i < 40; ++i) names.push_back(test::random_name(random, 40));
  // Programs that share patterns, one after another, as between two edits.
  std::vector<std::string> patterns;
  // Answers are stored by the number of the pattern in its program: found in round 2.
  for (uint64_t round = 0; round < test::rounds(20, 2); ++round) {
    CAPTURE(round);
    while (patterns.size() < 40) patterns.push_back(test::random_pattern(random, 2));
    test::ProgramBuilder rules;
    for (const std::string& pattern : patterns) {
      if (auto regex = test::parsed(pattern)) rules.add(std::move(*regex), pattern);
    }
    match::Scanner remembered(match::Database::of_automata(rules.program, memo));
    match::Scanner scanner(match::Database::compile(rules.program, std::nullopt));
    match::AtomSet expected;
    match::AtomSet set;
    for (const std::string& name : names) {
      CAPTURE(name);
      scanner.scan(name, expected);
      remembered.scan(name, set);
      CHECK(std::ranges::equal(expected.words(), set.words()));
    }
    for (int i = 0; i < 5; ++i)
      patterns.erase(patterns.begin() + static_cast<long>(random() % patterns.size()));
  }
}
