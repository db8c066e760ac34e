#include "trace/readers/csv_layout.hpp"

#include <doctest/doctest.h>

#include "trace/readers/csv_cursor.hpp"

namespace kr {
namespace {

std::string cells_of(std::string_view text) {
  trace::CsvRow row;
  row.read(text);
  std::string out;
  for (const std::string_view cell : row.cells) out.append("[").append(cell).append("]");
  constexpr const char* ends[] = {"row", "text ended", "inside", "malformed"};
  return out + " " + ends[static_cast<size_t>(row.end)] + " " + std::to_string(row.size);
}

trace::LineKind kind_of_line(std::string_view text) {
  return trace::classify_line(text).kind;
}

}  // namespace

TEST_CASE("a row is cut into cells") {
  CHECK(cells_of("a,b\nc") == "[a][b] row 4");
  CHECK(cells_of("a,b\r\nc") == "[a][b] row 5");
  CHECK(cells_of(",\n") == "[][] row 2");
  CHECK(cells_of("\"a,b\"\n") == "[a,b] row 6");
  CHECK(cells_of("\"a \"\"b\"\"\",c\n") == "[a \"b\"][c] row 12");
  CHECK(cells_of("\"two\nlines\"\r\n") == "[two\nlines] row 13");
  CHECK(cells_of("a,b") == "[a][b] text ended 3");
  CHECK(cells_of("a,\"b\"") == "[a][b] text ended 5");
  CHECK(cells_of("a,\"b\"\r") == "[a][b] text ended 6");
  CHECK(cells_of("a,\"b") == "[a][b] inside 4");
  CHECK(cells_of("a,\"b\"c\n") == "[a][b] malformed 5");
  CHECK(cells_of("a,b\"c\n") == "[a][b] malformed 3");
}

TEST_CASE("lines of nsys are told apart") {
  using enum kr::trace::LineKind;
  struct Case {
    const char* text;
    trace::LineKind kind;
  };
  const Case cases[] = {
      {"\n", blank},
      {" \r\n", blank},
      {"Processing [a.sqlite] with [cuda_gpu_trace.py]... \n", preamble},
      {"NOTICE: Existing SQLite export found: a.sqlite\n", preamble},
      {"[3/8] Executing 'cuda_gpu_trace' stats report\n", preamble},
      {"SKIPPED: a.sqlite does not contain GPU trace data.\n", skipped},
      {"Start (ns),Duration (ns),CorrId,GrdX,Device,Strm,Name\n", gpu_trace_header},
      {"\xef\xbb\xbfStart (ns),Duration (ns),Device,Strm,Name\r\n", gpu_trace_header},
      {"\"Start (ns)\",\"Duration (ns)\",\"Name\"\n", gpu_trace_header},
      {"Start(nsec),Duration(nsec),Name\n", gpu_trace_header},
      {"Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name\n", other_header},
      {"Start (ns),End (ns),Duration (ns),DurChild (ns),Name,PID,TID,Lvl\n", other_header},
      {"Time (%),Total Time (ns),Instances,Avg (ns),Name\n", other_header},
      {"1,2,3\n", other},
      {"hello, world\n", other},
      {"model loaded in 3 s\n", other},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    const bool same = kind_of_line(c.text) == c.kind;
    CHECK(same);
  }
}

TEST_CASE("columns are found by name, whatever their unit and order") {
  const trace::Line line =
      trace::classify_line("Name,Strm,Duration (us),GreenCtx,Device,Start (ms)\n");
  REQUIRE(line.missing.empty());
  CHECK(line.layout.columns == 6);
  CHECK(line.layout.start.column == 5);
  CHECK(line.layout.start.exponent == 6);
  CHECK(line.layout.duration.column == 2);
  CHECK(line.layout.duration.exponent == 3);
  CHECK(line.layout.name == 0);
  CHECK(line.layout.stream == 1);
  CHECK(line.layout.device == 4);
  CHECK(line.layout.coarsest() == 6);
}

TEST_CASE("a missing column of a header is named") {
  CHECK(trace::classify_line("Start (ns),CorrId,GrdX,BlkX,Device,Strm,Name").missing == "Duration");
  CHECK(trace::classify_line("Duration (ns),GrdX,BlkX,Device,Strm,Name").missing == "Start");
  CHECK(trace::classify_line("Start (ns),Duration (ns),GrdX,BlkX,Device,Strm").missing == "Name");
  CHECK(trace::classify_line("Start (min),Duration (ns),Device,Strm,Name").missing ==
        "Start in ns, us, ms or sec");
}

}  // namespace kr
