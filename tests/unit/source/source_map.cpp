#include "source/source_map.hpp"

#include <doctest/doctest.h>

using namespace kr;

TEST_CASE("lines and byte columns count from one") {
  source::SourceMap sources;
  const source::FileId file = sources.add("a.kr", "ab\r\nc\xc3\xa9\n\nend");
  const auto at = [&](uint32_t offset) {
    const source::Position place = sources.position(file, offset);
    return std::pair(place.line, place.column);
  };
  CHECK(at(0) == std::pair(1U, 1U));
  CHECK(at(3) == std::pair(1U, 4U));
  CHECK(at(4) == std::pair(2U, 1U));
  CHECK(at(7) == std::pair(2U, 4U));
  CHECK(at(8) == std::pair(3U, 1U));
  CHECK(at(12) == std::pair(4U, 4U));
  CHECK(sources.line(file, 1) == "ab");
  CHECK(sources.line(file, 2) == "c\xc3\xa9");
  CHECK(sources.line(file, 3).empty());
  CHECK(sources.line(file, 4) == "end");
  CHECK(sources.place({file, 9, 12}) == "a.kr:4");
  CHECK(sources.text(source::Span{file, 9, 12}) == "end");
}

TEST_CASE("views stay good while files are added") {
  source::SourceMap sources;
  const source::FileId first = sources.add("a", "short");
  const std::string_view text = sources.text(first);
  for (int i = 0; i < 1000; ++i) sources.add("b", "other");
  CHECK(text.data() == sources.text(first).data());
  CHECK(sources.size() == 1001);
}
