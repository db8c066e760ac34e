// The parser against RE2's: the pattern as it was written, and as it is written for RE2.
#include <doctest/doctest.h>
#include <re2/re2.h>

#include "support/patterns.hpp"
#include "support/reference_match.hpp"
#include "support/rounds.hpp"

using namespace kr;

namespace {

RE2::Options options() {
  RE2::Options options(RE2::Latin1);
  options.set_dot_nl(true);
  options.set_log_errors(false);
  return options;
}

bool agrees(const RE2& re2, const regex::Regex& regex, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (RE2::PartialMatch(name, re2) != test::ReferenceMatch(regex, name).search()) {
      MESSAGE("`" << re2.pattern() << "` on `" << name << "`");
      return false;
    }
  }
  return true;
}

void check(const std::string& pattern, const regex::Regex& regex,
           const std::vector<std::string>& names) {
  // Behind a `.*`, so that RE2 does not look for a text that the pattern begins with: in Latin-1
  // it looks for the wrong one (see to_re2).
  const RE2 written("(?s:.*)(?:" + pattern + ")", options());
  const RE2 printed(regex::to_re2(regex), RE2::Options(RE2::Latin1));
  if (!written.ok() || !printed.ok()) {
    CAPTURE(pattern);
    CHECK(written.error() == "");
    CHECK(printed.error() == "");
    return;
  }
  CHECK(agrees(written, regex, names));
  CHECK(agrees(printed, regex, names));
}

}  // namespace

TEST_CASE("every small pattern means the same to RE2") {
  const std::vector<std::string> names = test::small_names(2);
  for (size_t pieces = 1; pieces <= 3; ++pieces) {
    test::each_small_pattern(pieces, [&](const std::string& pattern, const regex::Regex& regex) {
      check(pattern, regex, names);
    });
  }
}

TEST_CASE("random larger patterns mean the same to RE2") {
  constexpr unsigned seed = 4'242;
  std::mt19937 random(seed);
  // `{2,}` is written as `+`: found in round 11.
  for (uint64_t round = 0; round < test::rounds(2000, 11); ++round) {
    CAPTURE(round);
    const std::string pattern = test::random_pattern(random, 2 + static_cast<int>(round % 3));
    const auto regex = test::parsed(pattern);
    if (!regex) continue;
    std::vector<std::string> names;
    for (int i = 0; i < 60; ++i) names.push_back(test::random_name(random, 16));
    check(pattern, *regex, names);
  }
}

TEST_CASE("classes contain the same bytes as RE2's") {
  for (const std::string pattern : {"\\d",
                                    "\\D",
                                    "\\w",
                                    "\\W",
                                    "[\\d_-]",
                                    "[^\\W\\d]",
                                    "[]a]",
                                    "[^]a]",
                                    "[a-c-e]",
                                    "[+--]",
                                    "[!-\\/:-@\\[-`{-~]",
                                    "[\\x00-\\x1f\\x7f]",
                                    "(?i)[Z-_]",
                                    "(?i)[^k]",
                                    "[a\\]\\-z]",
                                    "\\n",
                                    "\\t",
                                    "\\r",
                                    "\\f",
                                    "\\v",
                                    "\\a",
                                    ".",
                                    "\\x80",
                                    "(?i)\\x4b",
                                    "[[]",
                                    "{",
                                    "}",
                                    "]"}) {
    const auto regex = test::parsed(pattern);
    REQUIRE(regex.has_value());
    std::vector<std::string> names;
    for (int byte = 0; byte < 256; ++byte) names.emplace_back(1, static_cast<char>(byte));
    check(pattern, *regex, names);
  }
}

TEST_CASE("named groups and laziness are kept for RE2") {
  const auto regex = test::parsed("my_(?<step>\\d+?)_(?<layer>\\d*)");
  REQUIRE(regex.has_value());
  const std::string text = regex::to_re2(*regex);
  CHECK(text == "my_(?P<step>[0-9]+?)_(?P<layer>[0-9]*)");
  CHECK(regex::group_names(*regex) == std::vector<std::string>{"step", "layer"});
  std::string step;
  std::string layer;
  const RE2 re2(text, RE2::Options(RE2::Latin1));
  CHECK(RE2::PartialMatch("x my_12_345 ", re2, &step, &layer));
  CHECK(step == "12");
  CHECK(layer == "345");
}

TEST_CASE("repeats that RE2 refuses are refused") {
  for (const std::string pattern :
       {"a{1000}", "a{1001}", "(?:a{10}){100}", "(?:a{10}){101}", "(?:a{2,}){500}",
        "(?:a{2,}){501}", "(?:(?:a{10}b|c{11})*){91}", "(?:(?:a{10}b|c{11})*){90}", "(a{0}){1000}",
        "(?:(?:a{30})?){33}", "(?:(?:a{30})?){34}"}) {
    CAPTURE(pattern);
    CHECK(test::parsed(pattern).has_value() == RE2(pattern, options()).ok());
  }
}
