#include "base/json_read.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <string>

#include "base/error.hpp"

using namespace kr;
using Kind = JsonValue::Kind;

namespace {

/// `LINE:OFFSET` of the mistake; empty where there is none.
std::string mistake(const std::string& text) {
  try {
    (void)parse_json(text, "x.json");
  } catch (const Error& error) {
    CHECK(error.path() == "x.json");
    CHECK_FALSE(error.remedy().empty());
    return fmt::format("{}:{}", *error.place().line, *error.place().offset);
  }
  return {};
}

}  // namespace

TEST_CASE("values have their kind, order, and place") {
  const JsonValue value = parse_json(
      R"( {"b": [1, -2.5, "x\ny\u00e9\u0000"], "a": {}, "b": true, "n": null, "big": 1e3})", "");
  CHECK(value.kind == Kind::object);
  CHECK(value.begin == 1);
  REQUIRE(value.members.size() == 5);
  CHECK(value.members[0].key == "b");
  CHECK(value.members[0].key_begin == 2);
  CHECK(value.members[2].key == "b");
  CHECK(value.members[2].value.boolean);
  CHECK(value.find("b") == &value.members[0].value);
  CHECK(value.find("zz") == nullptr);
  const auto& items = value.members[0].value.items;
  REQUIRE(items.size() == 3);
  CHECK(items[0].kind == Kind::integer);
  CHECK(items[0].integer == 1);
  CHECK(items[0].begin == 8);
  CHECK(items[1].kind == Kind::number);
  CHECK(items[1].number == -2.5);
  CHECK(items[2].string == std::string("x\ny\xc3\xa9\0", 6));
  CHECK(value.members[3].value.kind == Kind::null);
  CHECK(value.members[4].value.number == 1000);
}

TEST_CASE("a lone value, a byte order mark, an empty container") {
  CHECK(parse_json("\xef\xbb\xbf\"a\"", "").string == "a");
  CHECK(parse_json("\xef\xbb\xbf[1]", "").items[0].begin == 4);
  CHECK(parse_json("7", "").integer == 7);
  CHECK(parse_json(" null ", "").kind == Kind::null);
  CHECK(parse_json("[]", "").items.empty());
  CHECK(parse_json("{}", "").members.empty());
  CHECK(parse_json("\"\"", "").string.empty());
}

TEST_CASE("a mistake is told with line and offset") {
  CHECK(mistake("").substr(0, 2) == "1:");
  CHECK(mistake("  \n ").substr(0, 2) != "");
  CHECK(mistake("[1,\n x]") == "2:5");
  CHECK(mistake("{\"a\": \"\xff\"}") == "1:7");
  CHECK(mistake("[\"\\ud800\"]") == "1:1");
  CHECK(mistake("{\"\\ud800\": 1}") == "1:1");
  CHECK(mistake("{\"\\q\": 1}") == "1:1");
}

TEST_CASE("what is not JSON is refused wherever it stands") {
  constexpr std::array bad{
      "[1 2]",
      "[1,]",
      "[,1]",
      "{\"a\" 1}",
      "{\"a\":1,}",
      "{\"a\":}",
      "{a:1}",
      "falsex",
      "truefalse",
      "{\"a\":1",
      "[1",
      "[",
      "{",
      "]",
      "}",
      "[1]]",
      "{} {}",
      "[1] x",
      "nul",
      "[nulL]",
      "[nullx]",
      "[truE]",
      "tru",
      "[01]",
      "[1.]",
      "[.5]",
      "[+1]",
      "[1e]",
      "[--1]",
      "\"a",
      "[\"a\nb\"]",
      "['a']",
      "[1;2]",
      "{\"a\":1;}",
      "{1:2}",
      "[\"\\u12\"]",
      "[\"\\x41\"]",
      "[null null]",
      "{\"a\":1 \"b\":2}",
      "[1}",
      "{\"a\":1]",
      "1 2",
      "[nan]",
      "\"a\" \"b\"",
      "{\"a\":[1}",
      "[{\"a\":1]",
      "[\"a\" \"b\"]",
      "{\"a\":\"b\" \"c\":\"d\"}",
      "{\"a\"}",
      "[:]",
  };
  for (const char* text : bad) {
    CAPTURE(text);
    CHECK_FALSE(mistake(text).empty());
  }
}

TEST_CASE("nesting ends at a limit, not in the machine's stack") {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  CHECK(mistake(nested(max_json_depth)).empty());
  CHECK(mistake(nested(max_json_depth + 1)) == fmt::format("1:{}", max_json_depth));
  CHECK_FALSE(mistake(nested(1'000'000)).empty());
  CHECK_FALSE(mistake(std::string(1'000'000, '[')).empty());
}
