// The automaton and the handling of empty matches against the plain meaning of the tree.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "regex/dfa.hpp"
#include "support/patterns.hpp"
#include "support/reference_match.hpp"
#include "support/rounds.hpp"

using namespace kr;
using test::ReferenceMatch;

namespace {

/// The empty matches of `name`, and all others, must be those of the expression.
bool split_agrees(const regex::Regex& regex, const std::optional<regex::Regex>& filled,
                  std::string_view name) {
  const ReferenceMatch whole(regex, name);
  bool empty = false;
  for (size_t begin = 0; begin <= name.size(); ++begin) {
    const uint64_t ends = whole.ends(begin);
    const uint64_t here = uint64_t{1} << begin;
    empty = empty || (ends & here) != 0;
    const uint64_t rest = filled ? ReferenceMatch(*filled, name).ends(begin) : 0;
    if (rest != (ends & ~here)) return false;
  }
  return ((regex::empty_places(regex) & regex::places_of(name)) != 0) == empty;
}

/// The names that have a match of at least one byte stay the same.
bool edges_agree(const regex::Regex& regex, const std::optional<regex::Regex>& edged,
                 std::string_view name) {
  const ReferenceMatch whole(regex, name);
  bool filled = false;
  for (size_t begin = 0; begin <= name.size(); ++begin) {
    filled = filled || (whole.ends(begin) & ~(uint64_t{1} << begin)) != 0;
  }
  if (!edged) return !filled;
  for (size_t begin = 0; begin <= name.size(); ++begin) {
    const uint64_t ends = ReferenceMatch(*edged, name).ends(begin);
    // No match that is not one of the expression's own, and none that is empty.
    if ((ends & ~whole.ends(begin)) != 0 || (ends >> begin & 1) != 0) return false;
  }
  return ReferenceMatch(*edged, name).search() == filled;
}

size_t not_anchored_at_edges = 0;

bool vacuity_agrees(regex::Vacuity vacuity, bool empty_in_empty_name, bool empty_in_all,
                    bool empty_in_any) {
  switch (vacuity) {
    case regex::Vacuity::never:
      return !empty_in_any;
    case regex::Vacuity::always:
      return empty_in_all;
    case regex::Vacuity::empty_name:
      return empty_in_empty_name && !empty_in_all;
    case regex::Vacuity::sometimes:
      return empty_in_any && !empty_in_all;
  }
  return false;
}

void check(std::string_view pattern, const regex::Regex& regex,
           const std::vector<std::string>& names) {
  const regex::Nfa nfa(regex);
  const auto filled = regex::without_empty(regex);
  const auto edged = regex::to_edges(regex);
  if (edged && !regex::anchored_at_edges(*edged)) ++not_anchored_at_edges;
  const regex::Places empty = regex::empty_places(regex);
  bool empty_in_all = true;
  bool empty_in_any = false;
  for (const std::string& name : names) {
    const ReferenceMatch reference(regex, name);
    const bool same = nfa.search(name) == reference.search() &&
                      nfa.find(name) == reference.find() && split_agrees(regex, filled, name) &&
                      edges_agree(regex, edged, name);
    const bool here = (empty & regex::places_of(name)) != 0;
    empty_in_all = empty_in_all && here;
    empty_in_any = empty_in_any || here;
    if (same) continue;
    CAPTURE(pattern);
    CAPTURE(name);
    CHECK(nfa.search(name) == reference.search());
    CHECK(nfa.find(name) == reference.find());
    CHECK(split_agrees(regex, filled, name));
    CHECK(edges_agree(regex, edged, name));
    return;
  }
  CAPTURE(pattern);
  CHECK(vacuity_agrees(regex::vacuity(empty), (empty & regex::places_of("")) != 0, empty_in_all,
                       empty_in_any));
}

}  // namespace

TEST_CASE("all small patterns on all short names") {
  const std::vector<std::string> names = test::small_names(3);
  size_t patterns = 0;
  for (size_t pieces = 1; pieces <= 3; ++pieces) {
    test::each_small_pattern(pieces, [&](const std::string& pattern, const regex::Regex& regex) {
      check(pattern, regex, names);
      ++patterns;
    });
  }
  CHECK(patterns > 4'000);
  CHECK(not_anchored_at_edges == 0);
}

TEST_CASE("random larger patterns on random names") {
  constexpr unsigned seed = 20'240'917;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  size_t patterns = 0;
  // `{2,3}` is read as `{2,5}`: found in round 4.
  const uint64_t rounds = test::rounds(1000, 4);
  for (uint64_t round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const std::string pattern = test::random_pattern(random, 2 + static_cast<int>(round % 4));
    const auto regex = test::parsed(pattern, round % 7 == 0);
    if (!regex) continue;
    ++patterns;
    std::vector<std::string> names = test::small_names(2);
    for (int i = 0; i < 40; ++i) names.push_back(test::random_name(random, 24));
    check(pattern, *regex, names);
  }
  CHECK(patterns > rounds / 2);
  MESSAGE(patterns << " patterns, " << not_anchored_at_edges << " not anchored at their edges");
}

TEST_CASE("all matches, one after another") {
  constexpr unsigned seed = 77;
  std::mt19937 random(seed);
  // Of matches that begin at a place, the shortest is taken: found in round 8.
  for (uint64_t round = 0; round < test::rounds(2000, 8); ++round) {
    CAPTURE(round);
    const std::string pattern = test::random_pattern(random, 2);
    const auto regex = test::parsed(pattern);
    if (!regex) continue;
    const std::string name = test::random_name(random, 20);
    const auto matches = regex::Nfa(*regex).find_all(name);
    const ReferenceMatch reference(*regex, name);
    size_t from = 0;
    size_t count = 0;
    while (from <= name.size()) {
      const auto match = reference.find(from);
      if (!match) break;
      CAPTURE(pattern);
      CAPTURE(name);
      REQUIRE(count < matches.size());
      REQUIRE(matches[count++] == *match);
      from = match->second > match->first ? match->second : match->second + 1;
    }
    CHECK(count == matches.size());
  }
}

// Searches in parallel with tables of every size: cleared at nearly every byte, split, and large
// enough for all.
TEST_CASE("many expressions in one automaton match like each alone") {
  constexpr unsigned seed = 31;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  size_t split = 0;
  // The side of the last byte is not kept: found in round 3.
  const uint64_t rounds = test::rounds(400, 3);
  for (uint64_t round = 0; round < rounds; ++round) {
    CAPTURE(round);
    std::vector<regex::Regex> regexes;
    std::vector<regex::Nfa> automata;
    while (regexes.size() < 1 + round % 12) {
      auto regex = test::parsed(test::random_pattern(random, 1 + static_cast<int>(round % 5)),
                                round % 7 == 0);
      if (!regex) continue;
      automata.emplace_back(*regex);
      regexes.push_back(std::move(*regex));
    }
    const regex::NfaUnion all(automata);
    regex::Searcher roomy(all);
    regex::Searcher narrow(all, random() % 6000);
    regex::Searcher narrowest(all, 0);
    std::vector<std::optional<regex::BitAutomaton>> by_bits;
    for (uint32_t i = 0; i < automata.size(); ++i) {
      by_bits.push_back(regex::BitAutomaton::build(all, i));
      REQUIRE(by_bits.back().has_value());
    }
    std::vector<std::string> names = test::small_names(2);
    for (int i = 0; i < 30; ++i) names.push_back(test::random_name(random, 40));
    for (const std::string& name : names) {
      std::vector<char> expected;
      for (const regex::Regex& regex : regexes) {
        expected.push_back(ReferenceMatch(regex, name).search() ? 1 : 0);
      }
      for (regex::Searcher* searcher : {&roomy, &narrow, &narrowest}) {
        std::vector<char> found(regexes.size(), 0);
        searcher->search(name, [&](uint32_t automaton) { found[automaton] = 1; });
        CAPTURE(name);
        REQUIRE(found == expected);
      }
      for (size_t i = 0; i < by_bits.size(); ++i) {
        CAPTURE(name);
        REQUIRE(by_bits[i]->search(name) == (expected[i] != 0));
      }
    }
    if (narrow.parts() > 1) ++split;
    CHECK(roomy.parts() == 1);
  }
  CHECK(split > rounds / 8);
}

TEST_CASE("bits are shifted from word to word, and taken to places far away") {
  std::mt19937 random(17);
  for (const std::string text : {"a.{70}b", "a.{60,70}b", "(a|bc{62,66}){3}$", "\\ba.{200}\\B",
                                 "(.{63}a|b){2,5}c", "(ab?){64}"}) {
    CAPTURE(text);
    const auto regex = test::parsed(text);
    REQUIRE(regex.has_value());
    const regex::Nfa automaton(*regex);
    const regex::NfaUnion all({&automaton, 1});
    auto by_bits = regex::BitAutomaton::build(all, 0);
    REQUIRE(by_bits.has_value());
    size_t found = 0;
    // No bit is carried to the next word: found in round 3.
    for (uint64_t i = 0; i < test::rounds(2000, 3); ++i) {
      CAPTURE(i);
      std::string name;
      const size_t length = random() % 260;
      const size_t letters = 1 + random() % 5;
      while (name.size() < length) name += "abc -"[random() % letters];
      const bool expected = automaton.search(name);
      REQUIRE(by_bits->search(name) == expected);
      if (expected) ++found;
    }
    CHECK(found > 0);
  }
  const auto many = test::parsed("(a?){900}b");
  REQUIRE(many.has_value());
  const regex::Nfa automaton(*many);
  const regex::NfaUnion all({&automaton, 1});
  CHECK(!regex::BitAutomaton::build(all, 0).has_value());
  regex::Searcher searcher(all, 0);
  size_t found = 0;
  searcher.search("xxab", [&](uint32_t) { ++found; });
  CHECK(found > 0);
}

// Work is counted, not timed: an entry of the table is made once, a byte is one look into it.
TEST_CASE("distinct names beyond the first hundreds make next to nothing") {
  std::vector<regex::Nfa> automata;
  for (const std::string word : {"add", "mul", "sum", "mean", "softmax", "norm", "copy", "exp"}) {
    const auto regex = test::parsed("^triton_.*(^|[^A-Za-z])" + word + "([^A-Za-z]|$)");
    REQUIRE(regex.has_value());
    automata.emplace_back(*regex);
  }
  const regex::NfaUnion all(automata);
  regex::Searcher searcher(all);
  size_t found = 0;
  const auto search = [&](int from, int to) {
    for (int i = from; i < to; ++i) {
      const std::string name = fmt::format("triton_poi_fused_add_{}_mean_of {}", i, i * 7919L);
      searcher.search(name, [&](uint32_t) { ++found; });
    }
  };
  search(0, 500);
  const uint64_t made = searcher.made();
  CHECK(made < 1'000);
  search(500, 50'000);
  CHECK(searcher.made() < made + 20);
  CHECK(searcher.parts() == 1);
  CHECK(found == 2 * 50'000);
}

// Each has some thousand places: alone, every byte leads to a new state.
TEST_CASE("memory does not grow with the number of expressions that need much of it") {
  std::vector<regex::Nfa> automata;
  for (int i = 0; i < 60; ++i) {
    const auto regex = test::parsed(fmt::format("a.{{{}}}b.{{{}}}c", 200 + i, i));
    REQUIRE(regex.has_value());
    automata.emplace_back(*regex);
  }
  const regex::NfaUnion all(automata);
  regex::Searcher searcher(all);
  std::mt19937 random(5);
  // Each part has all of the memory: found in round 3.
  for (uint64_t i = 0; i < test::rounds(30, 3); ++i) {
    CAPTURE(i);
    std::string name;
    for (int j = 0; j < 2000; ++j) name += "abc"[random() % 3];
    std::vector<bool> found(automata.size());
    searcher.search(name, [&](uint32_t automaton) { found[automaton] = true; });
    for (size_t j = 0; j < automata.size(); j += 7) CHECK(found[j] == automata[j].search(name));
    CHECK(searcher.bytes() < regex::Searcher::max_bytes + (size_t{1} << 20));
  }
  CHECK(searcher.parts() > 8);
}
