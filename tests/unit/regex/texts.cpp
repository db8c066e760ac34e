// The text of a Regex, its empty matches, and its matches.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "regex/nfa.hpp"
#include "regex/regex.hpp"
#include "support/patterns.hpp"
#include "support/regex_dump.hpp"

using namespace kr;
using regex::Match;
using test::parsed;

TEST_CASE("texts for Hyperscan") {
  const auto written = [](std::string_view pattern) { return to_hyperscan(*parsed(pattern)); };
  CHECK(written("a.b$") == "a.b\\z");
  CHECK(written("^void .*<float>") == "^void\\x20.*\\x3cfloat\\x3e");
  CHECK(written("(?:ab|c)*d?") == "(?:ab|c)*d?");
  CHECK(written("(a|)b") == "(?:a|)b");
  CHECK(written("(?i)aB_1") == "[Aa][Bb]_1");
  CHECK(written("[^a]\\W") == "[^a][^0-9A-Z_a-z]");
  CHECK(written("(\\b)*(a*)*") == "(?:\\b)*(?:a*)*");
  CHECK(written("a{2}b{2,}c{2,3}d{0}") == "a{2}b{2,}c{2,3}(?:)");
  // With named groups, laziness and names are kept: they determine the content of groups.
  CHECK(written("a+?b") == "a+b");
  CHECK(written("(?<n>a+?)b") == "(?<n>a+?)b");
  CHECK(written("") == "");
}

TEST_CASE("texts for RE2") {
  const auto written = [](std::string_view pattern) { return to_re2(*parsed(pattern)); };
  CHECK(written("^.(?<n>a)$") == "\\A(?s:.)(?P<n>a)\\z");
  CHECK(written("\\xe9\\xe9*[\\xe9-\\xff]") == "\\xe9{1}(?:\\xe9{1})*[\\xe9-\\xff]");
  CHECK(written("a{0}b*?") == "a{0}b*?");
}

TEST_CASE("texts of rules are expressions too") {
  CHECK(test::dump(regex::literal("a.b", false, false, false)) == "(seq [a] [\\x2e] [b])");
  CHECK(test::dump(regex::literal("aB1", true, true, true)) == "(seq ^ [Aa] [Bb] [1] $)");
  CHECK(test::dump(regex::literal("x", false, false, false)) == "[x]");
  CHECK(to_hyperscan(regex::literal(std::string_view("\0\xff/", 3), true, false, true)) ==
        "\\x00\\xff\\x2f\\z");
}

TEST_CASE("empty matches are known without looking at a name") {
  const auto of = [](std::string_view pattern) { return vacuity(*parsed(pattern)); };
  for (const std::string_view pattern :
       {"a", "a|b", "a+", "^a", "a\\b", "(a|^)b", "\\b\\B", "a?b"}) {
    CAPTURE(pattern);
    CHECK(of(pattern) == regex::Vacuity::never);
  }
  for (const std::string_view pattern :
       {"", "a*", ".*", "a?", "^", "$", "(^|a)", "\\b|\\B", "a{0,3}", "a{0}"}) {
    CAPTURE(pattern);
    CHECK(of(pattern) == regex::Vacuity::always);
  }
  for (const std::string_view pattern : {"^$", "^a*$", "^(a|)$"}) {
    CAPTURE(pattern);
    CHECK(of(pattern) == regex::Vacuity::empty_name);
  }
  for (const std::string_view pattern : {"\\b", "\\B", "\\b|a", "^\\b", "(\\b)+", "$\\B"}) {
    CAPTURE(pattern);
    CHECK(of(pattern) == regex::Vacuity::sometimes);
  }
  CHECK(test::dump(*without_empty(*parsed("a*"))) == "(rep 1 * [a])");
  CHECK(test::dump(*without_empty(*parsed("\\b|a"))) == "[a]");
  CHECK_FALSE(without_empty(*parsed("\\b")).has_value());
  CHECK_FALSE(without_empty(*parsed("a{0}|^")).has_value());
}

TEST_CASE("spans are leftmost, then longest") {
  const auto found = [](std::string_view pattern, std::string_view name) {
    return regex::Nfa(*parsed(pattern)).find(name);
  };
  CHECK(found("a|ab|abc", "xabcd") == Match{1, 4});
  CHECK(found("b|abc", "abd") == Match{1, 2});
  CHECK(found("b|abc", "abc") == Match{0, 3});
  CHECK(found("x*", "aaa") == Match{0, 0});
  CHECK(found("a+?", "baaa") == Match{1, 4});
  CHECK(found("\\bgemm\\b", "xgemm gemm_ gemm") == Match{12, 16});
  CHECK(found("$", "abc") == Match{3, 3});
  CHECK_FALSE(found("q", "abc").has_value());
  const auto all = [](std::string_view pattern, std::string_view name) {
    return regex::Nfa(*parsed(pattern)).find_all(name);
  };
  CHECK(all("\\d+", "a1b22c333") == std::vector<Match>{{1, 2}, {3, 5}, {6, 9}});
  CHECK(all("aa", "aaaaa") == std::vector<Match>{{0, 2}, {2, 4}});
  CHECK(all("^a", "aaa") == std::vector<Match>{{0, 1}});
}

TEST_CASE("expressions have a limit") {
  CHECK_FALSE(parsed("(?:" + std::string(200, 'a') + "){1000}").has_value());
  // The time for a long name is linear, for any expression.
  const std::string name(200'000, 'a');
  CHECK_FALSE(regex::Nfa(*parsed("(a*)*b|a.*z")).find(name).has_value());
}

TEST_CASE("only the first of very many mistakes are reported") {
  source::SourceMap sources;
  std::string pattern;
  for (int i = 0; i < 1000; ++i) pattern += "\\1";
  pattern += "(?#" + std::string(5000, 'x') + ")";
  const source::FileId file = sources.add("test.kr", pattern);
  diag::Sink sink;
  CHECK_FALSE(
      regex::parse(sources.text(file), {file, 0, static_cast<uint32_t>(pattern.size())}, {}, sink)
          .has_value());
  CHECK(sink.errors() == 16);
  diag::Sink other;
  const source::Span end{file, 2000, static_cast<uint32_t>(pattern.size())};
  CHECK_FALSE(regex::parse(sources.text(end), end, {}, other).has_value());
  REQUIRE(other.all().size() == 1);
  CHECK(other.all()[0].message.size() < 200);
  CHECK(other.all()[0].span == end);
}
