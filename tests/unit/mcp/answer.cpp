// Answers within a number of rows and bytes.
#include "mcp/answer.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/json_read.hpp"

using namespace kr;
using mcp::Answer;
using mcp::Arguments;
using mcp::Bounds;

namespace {

const TableInfo info{.id = "t", .title = "t", .doc = "One row.", .columns = {}};

Table numbers(int64_t count) {
  std::vector<Column> columns{{"name", Unit::text, Role::key, "Its name."},
                              {"n", Unit::count, Role::measure, "A number."},
                              {"never", Unit::ns, Role::measure, "Not known.", true}};
  return {info, columns, [count](RowSink& sink) {
            for (int64_t i = 0; i < count; ++i) {
              const std::string name = fmt::format("row \"{}\"", i);
              sink.row({Cell(std::string_view(name)), Cell(i), Cell()});
            }
          }};
}

JsonValue answer_of(const Bounds& bounds, int64_t rows,
                    const std::vector<std::string>& columns = {}) {
  Answer answer(bounds);
  answer.table("t", numbers(rows), columns);
  return parse_json(std::move(answer).finish(), "");
}

}  // namespace

TEST_CASE("pages of rows add up to the table, whatever the bounds") {
  for (const size_t rows : {0, 1, 7, 50}) {
    for (const Bounds bounds : {Bounds{1, 100'000, 0}, Bounds{3, 100'000, 0}, Bounds{100, 120, 0},
                                Bounds{100, 10, 0}, Bounds{100, 100'000, 0}}) {
      CAPTURE(rows);
      CAPTURE(bounds.max_rows);
      CAPTURE(bounds.max_bytes);
      std::vector<int64_t> seen;
      Bounds page = bounds;
      while (true) {
        const JsonValue answer = answer_of(page, static_cast<int64_t>(rows));
        const JsonValue& table = *answer.find("t");
        const size_t shown = table.find("rows")->items.size();
        REQUIRE(shown <= bounds.max_rows);
        for (const JsonValue& row : table.find("rows")->items) {
          seen.push_back(row.find("n")->integer);
          CHECK(row.find("name")->string == fmt::format("row \"{}\"", seen.back()));
          CHECK(row.find("never") == nullptr);
        }
        if (shown > 0) CHECK(table.find("unknown")->items[0].string == "never");
        const JsonValue* const left = table.find("truncated");
        if (left == nullptr || left->find("next_offset") == nullptr) break;
        CHECK(left->find("of")->integer == static_cast<int64_t>(rows));
        page.offset = static_cast<size_t>(left->find("next_offset")->integer);
        REQUIRE(shown > 0);
      }
      REQUIRE(seen.size() == rows);
      for (size_t i = 0; i < rows; ++i) CHECK(seen[i] == static_cast<int64_t>(i));
    }
  }
}

TEST_CASE("a row that is longer than the bytes is shown: pages go on") {
  const JsonValue answer = answer_of({100, 10, 3}, 5);
  CHECK(answer.find("t")->find("rows")->items.size() == 1);
  CHECK(answer.find("t")->find("truncated")->find("next_offset")->integer == 4);
}

TEST_CASE("columns are chosen by name") {
  const JsonValue answer = answer_of({}, 2, {"n"});
  CHECK(answer.find("t")->find("rows")->items[1].members.size() == 1);
  CHECK_THROWS_WITH_AS(answer_of({}, 2, {"nn"}), "table `t` has no column `nn`; did you mean `n`?",
                       Error);
}

TEST_CASE("bytes are shared by the tables and texts of an answer") {
  Answer answer(Bounds{100, 1000, 0});
  answer.table("a", numbers(100));
  answer.table("b", numbers(100));
  answer.lines("c", "one\ntwo\n");
  const std::string text = std::move(answer).finish();
  CHECK(text.size() < 1600);
  const JsonValue value = parse_json(text, "");
  CHECK(value.find("a")->find("rows")->items.size() > 10);
  CHECK(value.find("b")->find("rows")->items.size() < 2);
}

TEST_CASE("arguments have types, and unknown ones are errors") {
  const JsonValue value = parse_json(
      R"({"a":"x","b":5,"c":true,"d":["p","q"],"e":null,"max_rows":7,"max_bytes":2000})", "");
  Arguments arguments(value);
  CHECK(arguments.required("a") == "x");
  CHECK(arguments.texts("a") == std::vector<std::string>{"x"});
  CHECK(arguments.integer("b") == 5);
  CHECK(arguments.flag("c"));
  CHECK(arguments.texts("d") == std::vector<std::string>{"p", "q"});
  CHECK(!arguments.text("e"));
  CHECK_THROWS_WITH_AS(arguments.check_all_known(),
                       "there is no argument `max_rows`; available: a, b, c, d, e", Error);
  const Bounds bounds = Bounds::of(arguments);
  CHECK(bounds.max_rows == 7);
  CHECK(bounds.max_bytes == 2000);
  arguments.check_all_known();
  CHECK_THROWS_AS((void)arguments.text("b"), Error);
  CHECK_THROWS_AS((void)arguments.integer("a"), Error);
  CHECK_THROWS_AS((void)arguments.flag("b"), Error);
  CHECK_THROWS_AS((void)arguments.texts("c"), Error);
  CHECK_THROWS_AS((void)arguments.required("e"), Error);
  for (const char* const wrong :
       {R"({"max_rows":0})", R"({"max_rows":10001})", R"({"max_bytes":5})", R"({"offset":-1})",
        R"({"max_rows":1.5})"}) {
    const JsonValue bad = parse_json(wrong, "");
    Arguments given(bad);
    CHECK_THROWS_AS((void)Bounds::of(given), Error);
  }
  const JsonValue list = parse_json("[]", "");
  CHECK_THROWS_AS(Arguments{list}, Error);
}
