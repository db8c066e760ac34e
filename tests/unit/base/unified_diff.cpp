#include "base/unified_diff.hpp"

#include <doctest/doctest.h>

#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "support/rounds.hpp"

using namespace kr;

namespace {

std::string numbered(int from, int to) {
  std::string text;
  for (int i = from; i <= to; ++i) text += std::to_string(i) + "\n";
  return text;
}

/// What `patch` makes of a text, and how many lines were removed and added.
std::string patched(const std::string& before, const std::string& diff, size_t& changed) {
  std::istringstream in(diff);
  std::vector<std::string> old;
  std::istringstream lines(before);
  for (std::string line; std::getline(lines, line);) old.push_back(line);
  std::string out;
  size_t at = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("---") || line.starts_with("+++") || line.starts_with('\\')) continue;
    const std::string rest = line.substr(1);
    if (line.starts_with("@@")) {
      const size_t comma = line.find_first_of(", ", 4);
      size_t first = std::stoul(line.substr(4, comma - 4));
      const bool none = line.substr(comma, 3) == ",0 ";
      while (at + (none ? 0 : 1) < first) out += old.at(at++) + "\n";
      continue;
    }
    if (line[0] != '+') {
      REQUIRE(old.at(at) == rest);
      ++at;
    }
    if (line[0] != '-') out += rest + "\n";
    if (line[0] != ' ') ++changed;
  }
  while (at < old.size()) out += old[at++] + "\n";
  return out;
}

/// The longest common subsequence by the table.
size_t common(const std::string& a, const std::string& b) {
  std::vector<std::vector<size_t>> best(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      best[i][j] =
          a[i - 1] == b[j - 1] ? best[i - 1][j - 1] + 1 : std::max(best[i - 1][j], best[i][j - 1]);
    }
  }
  return best[a.size()][b.size()];
}

}  // namespace

TEST_CASE("hunks") {
  CHECK(unified_diff("a", "same\n", "b", "same\n") == "");
  CHECK(unified_diff("a", "", "b", "x\n") == "--- a\n+++ b\n@@ -0,0 +1 @@\n+x\n");
  CHECK(unified_diff("a", "x\ny\n", "b", "") == "--- a\n+++ b\n@@ -1,2 +0,0 @@\n-x\n-y\n");
  CHECK(unified_diff("a", "x", "b", "x\n") ==
        "--- a\n+++ b\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n");
  CHECK(unified_diff("a", numbered(1, 20), "b", numbered(1, 9) + "ten\n" + numbered(11, 20)) ==
        "--- a\n+++ b\n@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13\n");
  CHECK(unified_diff("a", numbered(1, 20), "b", numbered(2, 19)) ==
        "--- a\n+++ b\n@@ -1,4 +1,3 @@\n-1\n 2\n 3\n 4\n@@ -17,4 +16,3 @@\n 17\n 18\n 19\n-20\n");
}

TEST_CASE("random texts: applied, the difference gives the other text, and none is shorter") {
  std::mt19937 random(11);
  // The search goes down where both ways are as far: found in round 7.
  for (uint64_t round = 0; round < kr::test::rounds(1000, 7); ++round) {
    CAPTURE(round);
    const auto letters = [&] {
      std::string text;
      for (size_t size = random() % 24; size > 0; --size) text += "abc"[random() % 3];
      return text;
    };
    const std::string a = letters();
    const std::string b = letters();
    std::string before;
    std::string after;
    for (const char c : a) before += std::string(1, c) + "\n";
    for (const char c : b) after += std::string(1, c) + "\n";
    CAPTURE(a);
    CAPTURE(b);
    size_t changed = 0;
    REQUIRE(patched(before, unified_diff("a", before, "b", after), changed) == after);
    REQUIRE(changed == a.size() + b.size() - 2 * common(a, b));
  }
}

TEST_CASE("texts that have little in common are one hunk") {
  const std::string diff = unified_diff("a", numbered(1, 5000), "b", numbered(6000, 9000));
  CHECK(diff.starts_with("--- a\n+++ b\n@@ -1,5000 +1,3001 @@\n-1\n"));
}
