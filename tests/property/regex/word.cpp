// `word "…"` against reading names from left to right.
#include <doctest/doctest.h>

#include <random>
#include <string>

#include "base/ascii.hpp"
#include "regex/nfa.hpp"
#include "support/rounds.hpp"

using namespace kr;

namespace {

bool in_word(char c) {
  return is_letter(c) || is_digit(c);
}

/// Whether a word may begin or end between the bytes before `at` and those from it on.
bool is_bound(std::string_view name, size_t at) {
  if (at == 0 || at == name.size()) return true;
  if (!in_word(name[at - 1]) || !in_word(name[at])) return true;
  if (!is_upper(name[at])) return false;
  return !is_upper(name[at - 1]) || (at + 1 < name.size() && is_lower(name[at + 1]));
}

bool has_word(std::string_view name, std::string_view word, bool ignore_case) {
  for (size_t at = 0; at + word.size() <= name.size(); ++at) {
    bool same = true;
    for (size_t i = 0; i < word.size(); ++i) {
      const char a = name[at + i];
      const char b = word[i];
      same = same &&
             (a == b || (ignore_case && lowered(std::string(1, a)) == lowered(std::string(1, b))));
    }
    if (same && is_bound(name, at) && is_bound(name, at + word.size())) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("words in random names") {
  std::mt19937 random(5);
  const auto text = [&](size_t longest) {
    std::string made;
    for (size_t size = 1 + random() % longest; size > 0; --size) made += "aBcD1_ :"[random() % 8];
    return made;
  };
  size_t found = 0;
  for (uint64_t round = 0; round < test::rounds(3000, 1); ++round) {
    const std::string word = text(3);
    const bool ignore_case = random() % 2 == 0;
    const regex::Nfa automaton(regex::whole_word(word, ignore_case, false));
    regex::Nfa::Scratch scratch;
    for (int i = 0; i < 20; ++i) {
      const std::string name = text(8);
      CAPTURE(word);
      CAPTURE(name);
      CAPTURE(ignore_case);
      const bool has = has_word(name, word, ignore_case);
      REQUIRE(automaton.search(name, scratch) == has);
      found += has ? 1 : 0;
    }
  }
  CHECK(found > test::rounds(3000, 1) / 3);
}

TEST_CASE("words of kernels") {
  const auto has = [](std::string_view word, std::string_view name) {
    regex::Nfa::Scratch scratch;
    return regex::Nfa(regex::whole_word(word, true, false)).search(name, scratch);
  };
  CHECK(has("topk", "topk_v2"));
  CHECK(has("topk", "TopKKernel"));
  CHECK(has("topk", "moe::fusedTopK<int>"));
  CHECK(!has("topk", "stopkey"));
  CHECK(!has("topk", "topks"));
  CHECK(!has("gemm", "gemma"));
  CHECK(has("gemm", "fp8GemmKernel"));
}
