#include <doctest/doctest.h>

#include "support.hpp"

using namespace kr::test;

namespace {

std::string markdown_of(const std::vector<Table>& tables) {
  Collected collected;
  kr::render::markdown(tables, collected.sink());
  return collected.bytes;
}

}  // namespace

TEST_CASE("markdown: a heading and a table for each that has rows") {
  CHECK(markdown_of({units_table(), empty_table(), runs_table()}) ==
        R"(### all units

| run | name | device | calls | total µs | mean ns | share % | speedup | seen |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |
| a | =1+1 | 1000 | 1,234,567 | 12,346 | 11 | 12.3 | 1.25 | yes |
| a | say "hi", a\|b | 0 | 0 | -0.500 |  | 0.0 | 0.500 |  |
| a | \\xff\\x00x\\x0a | 2 | 2.50 | 1,000 | 0 | 100.0 | 10,000,000,000,000,000,000,000 |  |

### runs

| run |
| --- |
| a |
)");
}

TEST_CASE("markdown: no text is markup") {
  const Table table(runs_info, runs_info.columns, [](RowSink& sink) {
    sink.row({R"(\ ` | < > * ~ [x](y) &amp; $x$ _a_b_ a_b)"});
  });
  CHECK(markdown_of({table}) ==
        "### runs\n\n| run |\n| --- |\n"
        "| \\\\ \\` \\| \\< \\> \\* \\~ \\[x\\](y) \\&amp; \\$x\\$ \\_a_b\\_ a_b |\n");
}

TEST_CASE("markdown: what is left is counted") {
  const auto rows = [](int64_t count) {
    return markdown_of({Table(long_info, long_info.columns, [count](RowSink& sink) {
      for (int64_t i = 0; i < count; ++i) sink.row({i, "x"});
    })});
  };
  CHECK(rows(50).ends_with("| 49 | x |\n"));
  CHECK(rows(51).ends_with("| 49 | x |\n\n… and 1 more row.\n"));
  CHECK(rows(5050).ends_with("| 49 | x |\n\n… and 5,000 more rows.\n"));
}

TEST_CASE("markdown: names are short, and cut where they differ") {
  const kr::TableInfo info{
      "names", "names", "One row per name.", {{"name", Unit::name, Role::key, "The name."}}};
  const std::string arguments(100, 'x');
  CHECK(markdown_of({Table(info, info.columns,
                           [&](RowSink& sink) {
                             sink.row({"void at::native::f<int>(int)"});
                             sink.row({"g<" + arguments + ", 1>"});
                             sink.row({"g<" + arguments + ", 2>"});
                           })}) == "### names\n\n| name |\n| --- |\n| f\\<int\\> |\n| g\\<" +
                                       std::string(75, 'x') + "…1\\> |\n| g\\<" +
                                       std::string(75, 'x') + "…2\\> |\n");
}
