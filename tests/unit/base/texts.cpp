// Characters and numbers in texts, texts by number, hashes.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/ascii.hpp"
#include "base/distinct_texts.hpp"
#include "base/hash.hpp"
#include "base/integer.hpp"
#include "base/interned.hpp"
#include "base/printable.hpp"
#include "base/uri.hpp"
#include "base/utf8.hpp"

using namespace kr;

TEST_CASE("UTF-8 ends where Unicode says so") {
  for (const uint32_t point : {0x41U, 0x7fU, 0x80U, 0x7ffU, 0x800U, 0xffffU, 0x10000U, 0x10ffffU}) {
    CAPTURE(point);
    std::string character;
    append_utf8(character, point);
    CHECK(utf8_length(character) == character.size());
    CHECK(code_point(character) == point);
    CHECK(is_utf8("a" + character + "b"));
    CHECK(character_begin("a" + character, character.size()) == 1);
    if (character.size() > 1) {
      const std::string cut = "a" + character.substr(0, character.size() - 1);
      CHECK(utf8_end(cut) == 1);
      CHECK(utf8_end(cut + "b") == 1);
    }
  }
  for (const char* broken : {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80",
                             "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xff"}) {
    CAPTURE(broken);
    CHECK(utf8_length(broken) == 0);
    CHECK(utf8_end("é" + std::string(broken)) == 2);
  }
  CHECK(is_utf8(""));
}

TEST_CASE("bytes in hex and in URIs") {
  CHECK(hex_bytes("a\xff") == "\\x61\\xff");
  CHECK(uri_path("/a b/ü%.kr") == "/a%20b/%C3%BC%25.kr");
}

TEST_CASE("words, blanks and case know ASCII alone") {
  CHECK(lowered("ÄbC") == "Äbc");
  CHECK(trimmed(" \t a b\r\n") == "a b");
  CHECK(trimmed(" ").empty());
  CHECK(has_word("select from_x, from", "from"));
  CHECK_FALSE(has_word("from_x xfrom", "from"));
}

TEST_CASE("an integer is all of its text") {
  CHECK(integer_from("-12") == -12);
  CHECK(integer_from<uint8_t>("ff", 16) == 255);
  CHECK_FALSE(integer_from<uint8_t>("256"));
  for (const char* text : {"", "1 ", " 1", "+1", "1.0", "0x1", "9223372036854775808"}) {
    CAPTURE(text);
    CHECK_FALSE(integer_from(text));
  }
}

TEST_CASE("texts keep their numbers and places") {
  DistinctTexts texts;
  const std::string_view empty = texts.text(texts.add(""));
  const std::string_view first = texts.text(texts.add("first"));
  for (int i = 0; i < 10000; ++i)
    texts.add(std::to_string(i) + std::string(static_cast<size_t>(i % 100), 'x'));
  CHECK(texts.size() == 10002);
  CHECK(texts.add("first") == 1);
  CHECK(texts.add("") == 0);
  CHECK(texts.text(1).data() == first.data());
  CHECK(empty.empty());
  for (uint32_t i = 0; i < texts.size(); ++i) CHECK(texts.add(texts.text(i)) == i);
}

TEST_CASE("texts are moved with their places, and are not copied") {
  static_assert(!std::is_copy_constructible_v<DistinctTexts>);
  static_assert(!std::is_copy_assignable_v<DistinctTexts>);
  DistinctTexts texts;
  for (int i = 0; i < 3000; ++i) texts.add("text " + std::to_string(i));
  const char* const place = texts.text(7).data();
  DistinctTexts moved = std::move(texts);
  CHECK(moved.text(7).data() == place);
  CHECK(moved.add("text 2999") == 2999);
  CHECK(moved.add("another") == 3000);
}

TEST_CASE("lists have the numbers of the order in which they are first met") {
  Interned<std::vector<uint32_t>, NumbersHash> lists;
  CHECK(lists.add(std::vector<uint32_t>{}) == 0);
  for (uint32_t i = 0; i < 1000; ++i) CHECK(lists.add(std::vector{i, i / 2}) == i + 1);
  CHECK(lists.size() == 1001);
  CHECK(lists.add(std::vector<uint32_t>{8, 4}) == 9);
  CHECK(lists.add(std::vector<uint32_t>{4, 8}) == 1001);
  CHECK(lists[9] == std::vector<uint32_t>{8, 4});
}

TEST_CASE("hashes that files keep are those of XXH3") {
  CHECK(hash128("") == Hash128{0x99aa06d3014798d8, 0x6001c324468d497f});
  Hash128 one = hash128("a");
  Hash128 other = one;
  one.add(1);
  other.add(2);
  CHECK(one != other);
}
