#include "lsp/text.hpp"

#include <doctest/doctest.h>

using namespace kr::lsp;

TEST_CASE("columns count in the units agreed on") {
  // 1, 2, 3 and 4 bytes in UTF-8; the last takes two units of UTF-16.
  const std::string text = "aé€😀b\nx";
  const Lines lines(text);
  REQUIRE(lines.count() == 2);
  struct Row {
    size_t offset;
    uint32_t utf8, utf16;
  };
  for (const Row& row : {Row{0, 0, 0}, {1, 1, 1}, {3, 3, 2}, {6, 6, 3}, {10, 10, 5}, {11, 11, 6}}) {
    CAPTURE(row.offset);
    CHECK(lines.place(text, row.offset, Encoding::utf8) == Place{0, row.utf8});
    CHECK(lines.place(text, row.offset, Encoding::utf16) == Place{0, row.utf16});

    CHECK(lines.offset(text, {0, row.utf8}, Encoding::utf8) == row.offset);
    CHECK(lines.offset(text, {0, row.utf16}, Encoding::utf16) == row.offset);
  }
  // Inside a character: its begin.
  CHECK(lines.offset(text, {0, 4}, Encoding::utf16) == 6);
  CHECK(lines.offset(text, {0, 2}, Encoding::utf8) == 1);
}

TEST_CASE("places outside a text are its nearest") {
  const std::string text = "ab\ncd";
  const Lines lines(text);
  CHECK(lines.offset(text, {0, 99}, Encoding::utf16) == 2);
  CHECK(lines.offset(text, {9, 0}, Encoding::utf16) == 5);
  CHECK(lines.place(text, 99, Encoding::utf16) == Place{1, 2});
  CHECK(Lines("").offset("", {0, 3}, Encoding::utf16) == 0);
}

TEST_CASE("lines end as the protocol has it") {
  const std::string text = "a\r\nb\rc\nd\r\n";
  const Lines lines(text);
  REQUIRE(lines.count() == 5);
  CHECK(lines.line(text, 0) == std::pair<size_t, size_t>(0, 1));
  CHECK(lines.line(text, 1) == std::pair<size_t, size_t>(3, 4));
  CHECK(lines.line(text, 2) == std::pair<size_t, size_t>(5, 6));
  CHECK(lines.line(text, 4) == std::pair<size_t, size_t>(10, 10));
  CHECK(lines.offset(text, {0, 5}, Encoding::utf8) == 1);
}

TEST_CASE("bytes that are not UTF-8 take one column, and are sent as U+FFFD") {
  const std::string text = "a\xff\xc3z";
  const Lines lines(text);
  CHECK(lines.place(text, 3, Encoding::utf16) == Place{0, 3});
  CHECK(valid_utf8(text) == "a\xef\xbf\xbd\xef\xbf\xbdz");
  CHECK(valid_utf8("é") == "é");
}

TEST_CASE("files and their URIs") {
  CHECK(path_of("file:///no/such%20folder/a%2Bb.kr") == "/no/such folder/a+b.kr");
  CHECK(path_of("file:///no/x/../y.kr") == "/no/y.kr");
  CHECK(path_of("file://localhost/no/y.kr") == "/no/y.kr");
  CHECK(path_of("file:/no/y.kr") == "/no/y.kr");
  for (const char* none : {"untitled:Untitled-1", "file://machine/y.kr", "file:y.kr", "file:///a%2",
                           "file:///a%zz", "file:///a%00b", "", "/no/y.kr"}) {
    CAPTURE(none);
    CHECK(!path_of(none));
  }
  CHECK(uri_of("/no/such folder/a+é.kr") == "file:///no/such%20folder/a%2B%C3%A9.kr");
  CHECK(path_of(uri_of("/no/%41 #?.kr")) == "/no/%41 #?.kr");
}

TEST_CASE("inside a line break is the end of its line") {
  const std::string text = "ab\r\ncd\re\n";
  const Lines lines(text);
  CHECK(lines.place(text, 2, Encoding::utf16) == Place{0, 2});
  CHECK(lines.place(text, 3, Encoding::utf16) == Place{0, 2});  // between \r and \n
  CHECK(lines.place(text, 4, Encoding::utf16) == Place{1, 0});
  CHECK(lines.place(text, 6, Encoding::utf16) == Place{1, 2});
  CHECK(lines.place(text, 7, Encoding::utf16) == Place{2, 0});
  for (size_t offset = 0; offset <= text.size(); ++offset) {
    CAPTURE(offset);
    const Place place = lines.place(text, offset, Encoding::utf16);
    const auto [begin, end] = lines.line(text, place.line);
    CHECK(place.column <= end - begin);
  }
}
