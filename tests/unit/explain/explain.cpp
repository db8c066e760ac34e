#include "explain/explain.hpp"

#include <doctest/doctest.h>

#include "support/page_examples.hpp"

using namespace kr;

TEST_CASE("codes are found by id or name in any case, and similar ones are suggested") {
  const diag::CodeInfo* info = diag::find_code("KR204");
  CHECK(explain::find_code_loosely("KR204") == info);
  CHECK(explain::find_code_loosely("kr204") == info);
  CHECK(explain::find_code_loosely("Unknown-Label") == info);
  CHECK(explain::find_code_loosely("unknown-lable") == nullptr);
  CHECK(explain::find_code_loosely("") == nullptr);
  CHECK(explain::nearest_code("unknown-lable") == "unknown-label");
  CHECK(explain::nearest_code("KR2044") == "KR204");
  CHECK_FALSE(explain::nearest_code("something-else-entirely"));
}

TEST_CASE("examples of a page") {
  const auto examples = test::examples_of(
      "# KR1 x\n\n```kr bad latin-1\na\n\nb\n```\ntext\n```sh\nkr lint\n```\n\n```kr "
      "good\nc\n```\n");
  REQUIRE(examples.size() == 2);
  CHECK_FALSE(examples[0].good);
  CHECK(examples[0].word == "latin-1");
  CHECK(examples[0].text == "a\n\nb\n");
  CHECK(examples[1].good);
  CHECK(examples[1].word.empty());
  CHECK(examples[1].text == "c\n");
}

TEST_CASE("a page for a pipe and for a terminal") {
  const std::string_view page =
      "# KR1 x-y\n\nwarning: a `b` and an odd `.\n\n## More\n\n```kr bad\n# c `d`\n\ne\n```\n\nEnd "
      "`f`.\n";
  CHECK(explain::render_page(page, {}) ==
        "KR1 x-y\n\nwarning: a `b` and an odd `.\n\nMore\n\n    # c `d`\n\n    e\n\nEnd `f`.\n");
  CHECK(explain::render_page(page, {.color = true}) ==
        "\x1b[1mKR1 x-y\x1b[0m\n\n\x1b[1;33mwarning:\x1b[0m a \x1b[36mb\x1b[0m and an odd `.\n\n"
        "\x1b[1mMore\x1b[0m\n\n    # c `d`\n\n    e\n\nEnd \x1b[36mf\x1b[0m.\n");
}

TEST_CASE("paragraphs flow into the width of a terminal, code and lists do not") {
  const std::string_view page =
      "one two `three` four\nfive äöüß seven\n\n```kr good\na long line of code\n```\n- a list of "
      "words\n";
  CHECK(explain::render_page(page, {.color = false, .width = 10}) ==
        "one two\n`three`\nfour five\näöüß seven\n\n    a long line of code\n- a list of words\n");
  CHECK(explain::render_page(page, {.color = true, .width = 13})
            .starts_with("one two \x1b[36mthree\x1b[0m\nfour five\näöüß seven\n"));
  CHECK(explain::render_page("endlessword two\n", {.color = false, .width = 3}) ==
        "endlessword\ntwo\n");
}

TEST_CASE("the lists name every code that is given") {
  const std::string text = explain::codes_text(false);
  const std::string markdown = explain::codes_markdown();
  for (const diag::CodeInfo& info : diag::all_codes()) {
    const bool given = info.severity != diag::Severity::retired;
    CHECK((text.find(fmt::format("{}  ", info.id)) != text.npos) == given);
    CHECK((markdown.find(fmt::format("[{}]({})", info.id, explain::page_file(info))) !=
           markdown.npos) == given);
  }
  CHECK(explain::codes_text(true).starts_with("\x1b[1m"));
}
