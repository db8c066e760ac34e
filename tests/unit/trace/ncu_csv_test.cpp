// Pages of ncu: both forms, units, what stands around them, and each way they can be wrong.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support.hpp"

namespace kr::test::ncu_csv_test {
namespace {

const std::string details =
    "\"ID\",\"Process ID\",\"Kernel Name\",\"Context\",\"Stream\",\"Device\",\"Section Name\","
    "\"Metric Name\",\"Metric Unit\",\"Metric Value\",\"Rule Name\",\"Rule Type\"\n";

std::string metric(int id, const char* name, const char* unit, const char* value,
                   const char* kernel = "k") {
  return fmt::format("\"{}\",\"9\",\"{}\",\"1\",\"7\",\"0\",\"S\",\"{}\",\"{}\",\"{}\",\n", id,
                     kernel, name, unit, value);
}

trace::Trace read_text(const std::string& text, const trace::OpenOptions& options = {}) {
  const Folder folder;
  trace::Trace trace = trace::open_trace(folder.write("t.csv", text), options);
  CHECK(trace.format == "ncu-csv");
  return trace;
}

std::string fault(const std::string& text) {
  const Folder folder;
  const std::string path = folder.write("t.csv", text);
  trace::OpenOptions strict;
  strict.strict = true;
  const std::string what = error_of(path, strict);
  return what.starts_with(path) ? what.substr(path.size()) : what;
}

const std::string one_by_one =
    "ncu reports durations but no start times: kernels are read as one after the other, in order "
    "of ID.";

const std::string base_units = "; export the page again with `ncu --csv --print-units base`";

}  // namespace

TEST_CASE("kernels of a page of details follow each other in order of ID") {
  const trace::Trace trace =
      read_text(details + metric(2, "Duration", "nsecond", "30", "c") +
                metric(0, "DRAM Frequency", "hz", "1,002.5") +
                metric(0, "Duration", "ns", "1,234,567", "a, b") +
                "\"0\",\"9\",\"k\",\"1\",\"7\",\"0\",\"S\",\"\",\"\",\"\",\"Rule\",\"OPT\"\n" +
                metric(1, "gpu__time_duration.sum", "nsecond", "10"));
  CHECK(dump(trace) ==
        "0 1234567 kernel  (0) 7 k\n1234567 10 kernel  (0) 7 k\n1234577 30 kernel  (0) 7 c\n");
  CHECK(trace.inexact.empty());
  CHECK(trace.dropped.empty());
  REQUIRE(trace.warnings.size() == 1);
  CHECK(trace.warnings[0].text == one_by_one);
}

TEST_CASE("the units of durations") {
  struct Case {
    const char* unit;
    const char* value;
    int64_t ns;
    const char* rounded;
  };
  const Case cases[] = {
      {"ns", "21,058,944", 21'058'944, ""},
      {"nsecond", "5", 5, ""},
      {"", "1250000", 1'250'000, ""},
      {"us", "4.70", 4'700, "10 ns"},
      {"usecond", "4.704", 4'704, ""},
      {"usecond", "41", 41'000, "1000 ns"},
      {"ms", "1.23", 1'230'000, "10000 ns"},
      {"msecond", "1,001.000001", 1'001'000'001, ""},
      {"s", "2.5", 2'500'000'000, "100000000 ns"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.unit);
    CAPTURE(c.value);
    const trace::Trace trace = read_text(details + metric(0, "Duration", c.unit, c.value));
    REQUIRE(trace.operations.size() == 1);
    CHECK(trace.operations[0].duration_ns == c.ns);
    const std::string inexact =
        *c.rounded == '\0'
            ? ""
            : fmt::format("ncu rounded durations to {}; `--print-units base` prints nanoseconds",
                          c.rounded);
    CHECK(trace.inexact == inexact);
  }
}

TEST_CASE("the metric's own name is preferred to its title, whatever their order") {
  const std::string sum = metric(0, "gpu__time_duration.sum", "ns", "4704");
  const std::string title = metric(0, "Duration", "us", "4.70");
  const std::string max = metric(0, "gpu__time_duration.max", "ns", "4800");
  for (const std::string& text : {sum + title + max, title + max + sum, max + sum + title}) {
    const trace::Trace trace = read_text(details + text);
    CHECK(trace.operations[0].duration_ns == 4704);
    CHECK(trace.inexact.empty());
  }
}

TEST_CASE("a page with a column a metric") {
  const std::string header =
      "\"ID\",\"Kernel Name\",\"Stream\",\"Device\",\"dram__bytes.sum\","
      "\"gpu__time_duration.sum\",\"sm__x.pct\"\n";
  const std::string rows =
      "\"0\",\"a\",\"7\",\"0\",\"1\",\"6.750\",\"2\"\n"
      "\"1\",\"b\",\"8\",\"1\",\"1\",\"0.25\",\"2\"\n";
  const trace::Trace trace =
      read_text(header + "\"\",\"\",\"\",\"\",\"byte\",\"us\",\"%\"\n" + rows);
  CHECK(dump(trace) == "0 6750 kernel  (0) 7 a\n6750 250 kernel  (1) 8 b\n");
  // Without the row of units: of the metric's base.
  CHECK(dump(read_text(header + "\"0\",\"a\",\"7\",\"0\",\"1\",\"6\",\"2\"\n")) ==
        "0 6 kernel  (0) 7 a\n");
  CHECK(fault(header + "\"\",\"\",\"\",\"\",\"byte\",\"cycle\",\"%\"\n" + rows) ==
        ":2: at byte 92: `gpu__time_duration.sum` is in `cycle`, which is not a unit of time" +
            base_units);
  // A decimal is in a unit, and none says which.
  for (const std::string units : {"", "\"\",\"\",\"\",\"\",\"byte\",\"\",\"%\"\n"}) {
    CAPTURE(units);
    const std::string text = header + units;
    CHECK(fault(text + rows) ==
          fmt::format(":{}: at byte {}: `gpu__time_duration.sum` is `6.750`, without a unit: only "
                      "whole nanoseconds need none{}",
                      units.empty() ? 2 : 3, text.size(), base_units));
  }
}

TEST_CASE("what ncu and the program print around a page") {
  const std::string text =
      "\xef\xbb\xbf==PROF== Connected to process 9 (/bin/x)\nhello, world\r\n"
      "==PROF== Profiling \"k\" - 0: 0%....100% - 1 pass\n" +
      details + metric(0, "Duration", "ns", "5") + "==PROF== Disconnected from process 9\n\n" +
      metric(1, "Duration", "ns", "6");
  CHECK(dump(read_text(text)) == "0 5 kernel  (0) 7 k\n5 6 kernel  (0) 7 k\n");
  // Pages of two runs in one file: their IDs begin anew.
  const std::string page =
      details + metric(0, "Duration", "ns", "7") + metric(1, "Duration", "ns", "8");
  CHECK(read_text(text + page).operations.size() == 4);
  const std::string windows = details + metric(0, "Duration", "ns", "5");
  std::string returns;
  for (const char c : windows) returns += c == '\n' ? "\r\n" : std::string(1, c);
  CHECK(dump(read_text(returns)) == "0 5 kernel  (0) 7 k\n");
  CHECK(dump(read_text(gzip(text))) == dump(read_text(text)));
}

TEST_CASE("kernels without a duration") {
  const std::string other = metric(0, "dram__bytes.sum", "byte", "5");
  const trace::Trace trace = read_text(details + other + metric(1, "Duration", "ns", "n/a") +
                                       metric(2, "Duration", "ns", "7"));
  CHECK(dump(trace) == "0 7 kernel  (0) 7 k\n");
  REQUIRE(trace.dropped.size() == 1);
  CHECK(trace.dropped[0].what == "kernel without a duration: dropped");
  CHECK(trace.dropped[0].count == 2);
  CHECK(trace.dropped[0].first_offset == details.size());
  CHECK(trace.warnings[0].text == "2 of 3 kernels have no duration and are dropped.");
  const std::string remedy =
      "; profile with the metric gpu__time_duration.sum (`ncu --csv --metrics "
      "gpu__time_duration.sum`), or the section SpeedOfLight";
  CHECK(fault(details + other) ==
        ": has no duration of a kernel: its metrics are dram__bytes.sum" + remedy);
  CHECK(fault("ID,Kernel Name,a__b.sum\n,,byte\n0,k,5\n") ==
        ": has no duration of a kernel: its metrics are a__b.sum" + remedy);
  for (const std::string& empty : {details, std::string("==PROF== Connected to process 9\n"),
                                   std::string("ID,Kernel Name,a__b.sum\n")}) {
    CHECK(read_text(empty).operations.empty());
  }
}

TEST_CASE("pages that cannot be read") {
  struct Case {
    std::string text;
    std::string message;
  };
  const std::string at = fmt::format(":2: at byte {}: ", details.size());
  const std::string line = "; correct this line, or export the file again";
  const std::string base = "; `ncu --csv --print-units base` prints whole nanoseconds";
  const std::string point =
      "; kr reads `.` as decimal sign: export it again with `LC_ALL=C ncu --csv --print-units "
      "base`";
  const Case cases[] = {
      {metric(0, "Duration", "ns", "x"), at + "`Duration` is not a number: `x`" + base},
      {metric(0, "Duration", "ns", "-5"), at + "`Duration` is negative: -5" + base},
      {metric(0, "Duration", "us", "1.234.567"),
       at + "`Duration` is `1.234.567`, with a comma as decimal sign" + point},
      {metric(0, "Duration", "us", "4,70"),
       at + "`Duration` is `4,70`, with a comma as decimal sign" + point},
      {metric(0, "DRAM Throughput", "%", "0,40"),
       at + "`DRAM Throughput` is `0,40`, with a comma as decimal sign" + point},
      {metric(0, "Duration", "cycle", "5"),
       at + "`Duration` is in `cycle`, which is not a unit of time" + base_units},
      {metric(0, "Duration", "", "4.70"),
       at + "`Duration` is `4.70`, without a unit: only whole nanoseconds need none" + base_units},
      {"\"x\",\"9\",\"k\",\"1\",\"7\",\"0\",\"S\",\"Duration\",\"ns\",\"5\",\n",
       at + "`ID` is not a number: `x`" + line},
      {"\"0\",\"9\",\"k\",\"1\",\"7\",\"GPU\",\"S\",\"Duration\",\"ns\",\"5\",\n",
       at + "`Device` is not a number: `GPU`" + line},
      {"\"0\",\"9\",\"k\"\n", at + "the row has 3 cells, but the header has 12" + line},
      {"hello\n", at + "the row has 1 cells, but the header has 12" + line},
      {"\"0\",\"9\",\"k\",\"1\",\"7\",\"0\",\"S\",\"Duration\",\"ns\",\"5",
       at + "the file is cut off in this row; export it again, or read the complete part with "
            "--allow-truncated"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    CHECK(fault(details + c.text) == c.message);
  }
  const std::string titles =
      "ID,Process ID,Kernel Name,Section Name,Metric Name,Metric Unit,Metric Value";
  for (const std::string title : {"Metric Value", "Metric Unit", "Section Name"}) {
    CAPTURE(title);
    std::string others = titles;
    others.replace(others.find(title), title.size(), "other");
    CHECK(
        fault(others + "\n0,1,k,S,m,ns,5\n") ==
        fmt::format(":1: at byte 0: the header of an ncu page has no column `{}`; export it again "
                    "with `ncu --csv`",
                    title));
  }
  // The rest of a header, or of a row of units.
  const std::string cut =
      "the file is cut off in this row; export it again, or read the complete part with "
      "--allow-truncated";
  CHECK(fault(titles.substr(0, 60)) == ":1: at byte 0: " + cut);
  CHECK(fault("ID,Kernel Name,a__b.sum\n,,by") == ":2: at byte 24: " + cut);
  const std::string most = metric(0, "Duration", "ns", "9223372036854775807");
  CHECK(fault(details + most + metric(1, "Duration", "ns", "1")) ==
        ": all durations together do not fit in 64 bits of nanoseconds" + base_units);
}

TEST_CASE("a kernel whose duration cannot be right has none, and stays") {
  const Folder folder;
  const trace::Trace trace = trace::open_trace(folder.write(
      "t.csv", details + metric(0, "Duration", "ns", "5") + metric(1, "Duration", "ns", "-5") +
                   metric(2, "Duration", "ns", "9223372036854775808") +
                   metric(3, "Duration", "ns", "7")));
  CHECK(trace.operations.size() == 4);
  CHECK(trace.untimed_why ==
        "1 with a negative start or duration, 1 with a time beyond 64 bits of nanoseconds");
  CHECK(trace.last_end_ns == 12);
}

}  // namespace kr::test::ncu_csv_test
