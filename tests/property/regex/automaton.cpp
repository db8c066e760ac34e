// The automaton and the handling of empty matches against the plain meaning of the tree.
#include <doctest/doctest.h>

#include "regex/nfa.hpp"
#include "support/patterns.hpp"
#include "support/reference_match.hpp"

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
  return regex::EmptyMatches(regex).any(name) == empty;
}

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
  const auto nfa = regex::Nfa::build(regex);
  REQUIRE(nfa.has_value());
  const auto filled = regex::without_empty(regex);
  const regex::EmptyMatches empty(regex);
  bool empty_in_all = true;
  bool empty_in_any = false;
  for (const std::string& name : names) {
    const ReferenceMatch reference(regex, name);
    const bool same = nfa->search(name) == reference.search() &&
                      nfa->find(name) == reference.find() && split_agrees(regex, filled, name);
    empty_in_all = empty_in_all && empty.any(name);
    empty_in_any = empty_in_any || empty.any(name);
    if (same) continue;
    CAPTURE(pattern);
    CAPTURE(name);
    CHECK(nfa->search(name) == reference.search());
    CHECK(nfa->find(name) == reference.find());
    CHECK(split_agrees(regex, filled, name));
    return;
  }
  CAPTURE(pattern);
  CHECK(vacuity_agrees(empty.vacuity(), empty.any(""), empty_in_all, empty_in_any));
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
}

TEST_CASE("random larger patterns on random names") {
  constexpr unsigned seed = 20'240'917;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  size_t patterns = 0;
  for (int round = 0; round < 4'000; ++round) {
    const std::string pattern = test::random_pattern(random, 2 + round % 4);
    const auto regex = test::parsed(pattern, round % 7 == 0);
    if (!regex) continue;
    ++patterns;
    std::vector<std::string> names = test::small_names(2);
    for (int i = 0; i < 40; ++i) names.push_back(test::random_name(random, 24));
    check(pattern, *regex, names);
  }
  CHECK(patterns > 2'000);
}

TEST_CASE("all matches, one after another") {
  constexpr unsigned seed = 77;
  std::mt19937 random(seed);
  for (int round = 0; round < 2'000; ++round) {
    const std::string pattern = test::random_pattern(random, 2);
    const auto regex = test::parsed(pattern);
    if (!regex) continue;
    const std::string name = test::random_name(random, 20);
    const auto matches = regex::Nfa::build(*regex)->find_all(name);
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
