#include <doctest/doctest.h>

#include "support.hpp"

using namespace kr::test;
using kr::render::TerminalOptions;

namespace {

std::string terminal_of(const std::vector<Table>& tables, TerminalOptions options = {}) {
  Collected collected;
  kr::render::terminal(tables, collected.sink(), options);
  return collected.bytes;
}

const kr::TableInfo kernels_info{"kernels",
                                 "kernels",
                                 "One row per name.",
                                 {{"run", Unit::text, Role::key, "The run."},
                                  {"name", Unit::text, Role::key, "The name."},
                                  {"kind", Unit::text, Role::measure, "Its kind."},
                                  {"total_ns", Unit::ns, Role::measure, "Its time."},
                                  {"unknown", Unit::count, Role::measure, "Nothing.", true},
                                  {"rule", Unit::text, Role::detail, "Its rule."}}};

const std::string long_name = "void first<" + std::string(40, 'x') + ">::last(int)";

Table kernels_table(const std::string& second_run) {
  return {kernels_info, kernels_info.columns, [second_run](RowSink& sink) {
            sink.row({"a", long_name, "gemm", int64_t{20'000'000}, Cell(), "rules.kr:1"});
            sink.row({second_run, "short", "attention", int64_t{1'000}, Cell(), "rules.kr:22"});
          }};
}

}  // namespace

TEST_CASE("terminal: units by column, the only run left out, tables without rows not shown") {
  CHECK(terminal_of({units_table(), empty_table(), runs_table()}) ==
        R"(all units
device         calls    total µs  mean ns  share %                             speedup  seen  in short  name
  1000  1,234,567     12,346           11     12.3                               1.25   yes   short 1   =1+1
     0          0         -0.500               0.0                               0.500        short 2   say "hi", a|b
     2          2.50   1,000            0    100.0  10,000,000,000,000,000,000,000            short 3   \xff\x00x\x0a

runs
run
a
)");
}

TEST_CASE("terminal and Markdown: a share is right of the column of the part") {
  const kr::TableInfo info{
      "parts",
      "parts",
      "One row per part.",
      {{"part", Unit::text, Role::key, "The part."},
       {"share", Unit::ratio, Role::measure, "Part of the time.", false, false, "busy_ns"},
       {"busy_ns", Unit::ns, Role::measure, "Its time."},
       {"calls", Unit::count, Role::measure, "Its calls."},
       {"half", Unit::ratio, Role::measure, "Half of the time.", false, false, "busy_ns"}}};
  const Table table{info, info.columns, [](RowSink& sink) {
                      sink.row({"a", 0.25, int64_t{50'000'000}, int64_t{3}, 0.125});
                    }};
  CHECK(terminal_of({table}) == R"(parts
part  busy ms  share %  half %  calls
a        50.0     25.0    12.5      3
)");
  Collected markdown;
  kr::render::markdown(std::vector{table}, markdown.sink());
  CHECK(markdown.bytes.find("| part | busy ms | share % | half % | calls |") != std::string::npos);
  Collected csv;
  kr::render::csv(table, csv.sink());
  CHECK(csv.bytes.starts_with("part,share,busy_ns,calls,half\n"));
}

TEST_CASE("terminal: a time that is not shown does not decide the unit of the others") {
  const kr::TableInfo info{"parts",
                           "parts",
                           "One row per part.",
                           {{"part", Unit::text, Role::key, "The part."},
                            {"busy_ns", Unit::ns, Role::measure, "Its time."},
                            {"idle_ns", Unit::ns, Role::measure, "The rest."},
                            {"start_ns", Unit::ns, Role::detail, "When it began."}}};
  const Table table{info, info.columns, [](RowSink& sink) {
                      sink.row({"a", int64_t{50'000'000}, int64_t{0}, int64_t{90'000'000'000}});
                    }};
  CHECK(terminal_of({table}) == R"(parts
part  busy ms  idle ms
a        50.0        0
)");
}

TEST_CASE("terminal: all columns but the texts of the short form") {
  const std::string text = terminal_of({units_table()}, {.short_form = false});
  CAPTURE(text);
  CHECK(text.find("in short") == std::string::npos);
  CHECK(text.find("rate               work  load %             clock  seen  reason") !=
        std::string::npos);
  CHECK(text.find("1.00 M       1,500,000,000,000   99.95  1,980,000,000     yes\n") !=
        std::string::npos);
}

TEST_CASE("terminal: a long key goes last and is cut in the middle") {
  CHECK(terminal_of({kernels_table("b")}) == R"(kernels
run  kind       total ms  name
a    gemm       20.0      )" + long_name + R"(
b    attention   0.00100  short
)");
  CHECK(terminal_of({kernels_table("a")}, {.width = 60}) == R"(kernels
kind       total ms  name
gemm       20.0      void first<xxxxxxxx…xxxxxxx>::last(int)
attention   0.00100  short
)");
  // Never to nothing.
  CHECK(terminal_of({kernels_table("a")}, {.width = 10}) == R"(kernels
kind       total ms  name
gemm       20.0      void first<x…::last(int)
attention   0.00100  short
)");
}

TEST_CASE("terminal: what goes last does not depend on the data") {
  const Table table(kernels_info, kernels_info.columns, [](RowSink& sink) {
    sink.row({"a", "short", std::string_view(long_name), int64_t{20'000'000}, Cell(), "f:1"});
  });
  CHECK(terminal_of({table}) == "kernels\nkind" + std::string(long_name.size() - 2, ' ') +
                                    "total ms  name\n" + long_name + "      20.0  short\n");
  // A sentence does not go behind numbers where it says which row this is.
  const kr::TableInfo info{"found",
                           "found",
                           "One row per kind of evidence.",
                           {{"evidence", Unit::text, Role::key, "What shows it."},
                            {"count", Unit::count, Role::measure, "How many."}}};
  const Table keyed(info, info.columns, [](RowSink& sink) {
    sink.row({std::string_view(long_name), int64_t{3}});
  });
  CHECK(terminal_of({keyed}).starts_with("found\nevidence "));
}

TEST_CASE("terminal: a sentence goes on in the lines below; another long text is cut") {
  const kr::TableInfo info{"notes",
                           "notes",
                           "One row per note.",
                           {{"text", Unit::text, Role::measure, "The note."},
                            {"file", Unit::text, Role::measure, "Its file."},
                            {"count", Unit::count, Role::measure, "How many."}}};
  const std::string file = "/home/" + std::string(60, 'x') + "/trace.csv";
  const Table table(info, info.columns, [&](RowSink& sink) {
    sink.row(
        {"the times of this trace are not exact: they are rounded to microseconds, "
         "and sums of many of them may be wrong",
         file, int64_t{12}});
    sink.row({"short", "f", int64_t{3}});
  });
  CHECK(terminal_of({table}, {.width = 80}) == R"(notes
file                                      count  text
/home/xxxxxxxxxxxxxx…xxxxxxxxx/trace.csv     12  the times of this trace are not
                                                 exact: they are rounded to
                                                 microseconds, and sums of many
                                                 of them may be wrong
f                                             3  short
)");
}

TEST_CASE("terminal: rows that are left are counted, in color") {
  CHECK(terminal_of({kernels_table("a")}, {.color = true, .width = 40, .max_rows = 1}) ==
        "\x1b[1mkernels\x1b[0m\n"
        "      \x1b[2mtotal\x1b[0m\n"
        "\x1b[2mkind\x1b[0m     \x1b[2mms\x1b[0m  \x1b[2mname\x1b[0m\n"
        "gemm   20.0  void first<xx…x>::last(int)\n"
        "\x1b[2mand 1 more (--all shows them)\x1b[0m\n");
  // The run is that of all rows, shown or not.
  CHECK(terminal_of({kernels_table("b")}, {.width = 60, .max_rows = 1}) ==
        "kernels\n           total\nrun  kind     ms  name\n"
        "a    gemm   20.0  void first<xxxxxxxxxx…xxxxxxxx>::last(int)\n"
        "and 1 more (--all shows them)\n");
}

TEST_CASE("terminal: heads of several words have several lines in a narrow window") {
  const auto heads = [](int width) {
    const std::string text = terminal_of({kernels_table("a")}, {.width = width, .max_rows = 1});
    return text.substr(0, text.find("\ngemm"));
  };
  CHECK(heads(0) == "kernels\nkind  total ms  name");
  CHECK(heads(80) == heads(0));
  CHECK(heads(40) == "kernels\n      total\nkind     ms  name");
}

TEST_CASE("terminal: rows that are not kept are shown the same") {
  const std::vector<Table> tables{units_table(), kernels_table("b"), long_table()};
  CHECK((terminal_of(tables, {.width = 100, .max_rows = 0}) ==
         terminal_of(tables, {.width = 100, .max_rows = 1'000'000})));
}

namespace {

const kr::TableInfo names_info{"names",
                               "names",
                               "One row per name.",
                               {{"name", Unit::name, Role::key, "The name."},
                                {"text", Unit::text, Role::measure, "The same, as a text."},
                                {"count", Unit::count, Role::measure, "How many."}}};

/// The names differ near their ends.
Table names_table() {
  return {names_info, names_info.columns, [](RowSink& sink) {
            for (const char* type : {"int", "long"}) {
              const std::string name = std::string(
                                           "void at::native::vectorized_elementwise_kernel<4, "
                                           "at::native::FillFunctor<") +
                                       type + ">, std::array<char*, 1ul> >(int, int)";
              sink.row({name, "void f()", int64_t{1}});
            }
            sink.row({"_ZN2at6native3barIfEEvPT_", "void f()", int64_t{2}});
          }};
}

}  // namespace

TEST_CASE("terminal: names are short, other texts are as they are") {
  CHECK(terminal_of({names_table()}) == R"(names
text      count  name
void f()      1  vectorized_elementwise_kernel<4, FillFunctor<int>, array<char*, 1>>
void f()      1  vectorized_elementwise_kernel<4, FillFunctor<long>, array<char*, 1>>
void f()      2  bar<float>
)");
}

TEST_CASE("terminal: names that are cut still differ") {
  CHECK(terminal_of({names_table()}, {.width = 60}) == R"(names
text      count  name
void f()      1  vectorized_elementwi…int>, array<char*, 1>>
void f()      1  vectorized_elementw…long>, array<char*, 1>>
void f()      2  bar<float>
)");
  // Only those that are shown count.
  CHECK(terminal_of({names_table()}, {.width = 60, .max_rows = 1}) == R"(names
text      count  name
void f()      1  vectorized_elementwise_kernel<4, FillFunct…
and 2 more (--all shows them)
)");
}

TEST_CASE("terminal: both sides of a comparison have one unit, a change its own") {
  static const kr::TableInfo info{"changes",
                                  "changes",
                                  "One row per label.",
                                  {{"label", Unit::text, Role::key, "The label."},
                                   {"a_ns", Unit::ns, Role::measure, "The first run."},
                                   {"b_ns", Unit::ns, Role::measure, "The second run."},
                                   {"change_ns", Unit::ns, Role::measure, "The change."},
                                   {"a_per_call_ns", Unit::ns, Role::measure, "Per call."},
                                   {"b_per_call_ns", Unit::ns, Role::measure, "Per call."}}};
  const Table table{info, info.columns, [](RowSink& sink) {
                      sink.row({"gemm", int64_t{20'000'000}, int64_t{300}, int64_t{7'000},
                                int64_t{400}, int64_t{90'000}});
                    }};
  CHECK(terminal_of({table}) ==
        "changes\n"
        "label  a ms      b ms  change µs  a per call µs  b per call µs\n"
        "gemm   20.0  0.000300       7.00          0.400           90.0\n");
}
