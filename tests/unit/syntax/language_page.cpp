// The examples of docs/language.md are rules that read without a word.
#include <doctest/doctest.h>

#include "base/file.hpp"
#include "diag/render.hpp"
#include "dump.hpp"
#include "support/source_folder.hpp"

using namespace kr;
using namespace kr::syntax;

TEST_CASE("the examples of the language page") {
  const std::string page =
      read_file(std::filesystem::path(test::source_folder()) / "docs/language.md");
  const std::string_view fence = "```kr\n";
  size_t count = 0;
  for (size_t at = page.find(fence); at != page.npos; at = page.find(fence, at)) {
    at += fence.size();
    const size_t end = page.find("```", at);
    REQUIRE(end != page.npos);
    const Parsed parsed(page.substr(at, end - at));
    CHECK(diag::render_human(parsed.sources, parsed.sink.all()) == "");
    at = end;
    ++count;
  }
  CHECK(count > 10);
}
