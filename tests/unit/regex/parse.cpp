// The parser by a table of pattern and dump.
#include <doctest/doctest.h>

#include <string>

#include "regex/regex.hpp"
#include "support/regex_dump.hpp"

using namespace kr;

namespace {

struct Case {
  std::string_view pattern;
  std::string_view dump;
};

std::string dumped(std::string_view pattern, bool ignore_case = false) {
  source::SourceMap sources;
  const source::FileId file = sources.add("test.kr", std::string(pattern));
  diag::Sink sink;
  const auto regex =
      regex::parse(sources.text(file), {file, 0, static_cast<uint32_t>(pattern.size())},
                   {.ignore_case = ignore_case}, sink);
  CHECK(regex.has_value() == !sink.has_errors());
  if (!regex) return "error: " + sink.all().front().message;
  return test::dump(*regex);
}

}  // namespace

TEST_CASE("patterns are read as the tree they mean") {
  static constexpr Case cases[] = {
      {"", "()"},
      {"a", "[a]"},
      {"ab", "(seq [a] [b])"},
      {"a|b", "(alt [a] [b])"},
      {"a||b", "(alt [a] () [b])"},
      {"ab|cd|", "(alt (seq [a] [b]) (seq [c] [d]) ())"},
      {"(a|b)c", "(seq (alt [a] [b]) [c])"},
      {"(?:a)", "[a]"},
      {"()", "()"},
      {"(|a)", "(alt () [a])"},
      {"(?<step>\\d+)", "(group step (rep 1 * [0-9]))"},
      {"((?<a>x)|(?<b>y))*", "(rep 0 * (alt (group a [x]) (group b [y])))"},
      {"a*", "(rep 0 * [a])"},
      {"a+?", "(rep? 1 * [a])"},
      {"a?\?", "(rep? 0 1 [a])"},
      {"a*?", "(rep? 0 * [a])"},
      {"a{3}", "(rep 3 3 [a])"},
      {"a{3,}", "(rep 3 * [a])"},
      {"a{3,5}?", "(rep? 3 5 [a])"},
      {"a{0}", "(rep 0 0 [a])"},
      {"(?:a{2}){3}", "(rep 3 3 (rep 2 2 [a]))"},
      {"ab*", "(seq [a] (rep 0 * [b]))"},
      {"(ab)*", "(rep 0 * (seq [a] [b]))"},
      {"(^)*", "(rep 0 * ^)"},
      {".", "."},
      {"^a$", "(seq ^ [a] $)"},
      {"\\Aa", "(seq ^ [a])"},
      {"\\ba\\B", "(seq \\b [a] \\B)"},
      {"\\d\\D", "(seq [0-9] [^0-9])"},
      {"\\w", "[0-9A-Z_a-z]"},
      {"\\W", "[^0-9A-Z_a-z]"},
      {"\\s", "[\\x09-\\x0d\\x20]"},
      {"\\S", "[^\\x09-\\x0d\\x20]"},
      {"\\n\\t\\r\\f\\v\\a", "(seq [\\x0a] [\\x09] [\\x0d] [\\x0c] [\\x0b] [\\x07])"},
      {"\\x41\\xfF", "(seq [A] [\\xff])"},
      {"\\.\\/\\-\\ \\\\", "(seq [\\x2e] [\\x2f] [\\x2d] [\\x20] [\\x5c])"},
      {"\\{\\}\\(\\)\\[\\]", "(seq [\\x7b] [\\x7d] [\\x28] [\\x29] [\\x5b] [\\x5d])"},
      // Braces that repeat nothing are texts, as are closing ones.
      {"a{", "(seq [a] [\\x7b])"},
      {"a{x}", "(seq [a] [\\x7b] [x] [\\x7d])"},
      {"a{1", "(seq [a] [\\x7b] [1])"},
      {"a{1,2", "(seq [a] [\\x7b] [1] [\\x2c] [2])"},
      {"{", "[\\x7b]"},
      {"]}", "(seq [\\x5d] [\\x7d])"},
      {"[abc]", "[a-c]"},
      {"[a]", "[a]"},
      {"[ab]", "[ab]"},
      {"[^a]", "[^a]"},
      {"[^\\n]", "[^\\x0a]"},
      {"[]a]", "[\\x5da]"},
      {"[]]", "[\\x5d]"},
      {"[]-a]", "[\\x5d-a]"},
      {"[^]a]", "[^\\x5da]"},
      {"[a-]", "[\\x2da]"},
      {"[-a]", "[\\x2da]"},
      {"[a\\-z]", "[\\x2daz]"},
      {"[a-c-e]", "[\\x2da-ce]"},
      {"[+--]", "[\\x2b-\\x2d]"},
      {"[a^]", "[\\x5ea]"},
      {"[(*+.|$^)]", "[\\x24\\x28-\\x2b\\x2e\\x5e\\x7c]"},
      {"[[]", "[\\x5b]"},
      {"[a[b]", "[\\x5bab]"},
      {"[\\d_]", "[0-9_]"},
      {"[^\\W\\d]", "[A-Z_a-z]"},
      {"[\\x00-\\x1f]", "[\\x00-\\x1f]"},
      {"[\\x80-\\xff]", "[\\x80-\\xff]"},
      {"[\\]\\\\/]", "[\\x2f\\x5c\\x5d]"},
      {"[\\n\\v]", "[\\x0a\\x0b]"},
      {"[\\x00-\\xff]", "."},
      {"\xc3\xa9", "(seq [\\xc3] [\\xa9])"},
      {"(\xc3\xa9)*", "(rep 0 * (seq [\\xc3] [\\xa9]))"},
      {"(?i)aB1", "(seq [Aa] [Bb] [1])"},
      {"a(?i:b(?:c)|[d-e])f", "(seq [a] (alt (seq [Bb] [Cc]) [DEde]) [f])"},
      {"(?i:a)(?<n>b)", "(seq [Aa] (group n [b]))"},
      {"(?i)[^a]", "[^Aa]"},
      {"(?i)[Z-_]", "[Z-_z]"},
      {"a{1000}", "(rep 1000 1000 [a])"},
      {"(?:a{2,}){500}", "(rep 500 500 (rep 2 * [a]))"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.pattern);
    CHECK(dumped(one.pattern) == one.dump);
  }
  CHECK(dumped("aB\\x63[e-f]\xc3", true) == "(seq [Aa] [Bb] [Cc] [EFef] [\\xc3])");
}

TEST_CASE("depth is bounded, and no depth overflows") {
  const auto nested = [](size_t depth) {
    return std::string(depth, '(') + "a" + std::string(depth, ')');
  };
  CHECK(dumped(nested(256)) == "[a]");
  CHECK(dumped(nested(257)) ==
        "error: the expression is too large: groups are nested more than 256 deep");
  CHECK(dumped(nested(100'000)) ==
        "error: the expression is too large: groups are nested more than 256 deep");
  CHECK(dumped(std::string(100'000, '(')).substr(0, 6) == "error:");
  CHECK(dumped(std::string(100'000, ')')) == "error: bracket: `)` closes nothing");
  std::string repeats = "a";
  for (int i = 0; i < 256; ++i) repeats = "(?:" + repeats + "|b)*";
  CHECK(dumped(repeats).substr(0, 5) == "(rep ");
}
