// Each way a CSV can be wrong, and the message it gets.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>

#include "support.hpp"

namespace kr::test::bad_csv_test {
namespace {

const std::string header = "Start (ns),Duration (ns),CorrId,GrdX,Device,Ctx,Strm,Name\n";
const std::string row = "100,10,1,1,GPU (0),1,7,k\n";

struct Case {
  std::string text;
  std::string message;  // after the path
};

std::string opened(const std::string& text, const trace::OpenOptions& options = {}) {
  const Folder folder;
  const std::string path = folder.write("t.csv", text);
  const std::string what = error_of(path, options);
  if (!what.starts_with(path)) return what;
  return what.substr(path.size());
}

trace::Trace read_text(const std::string& text, const trace::OpenOptions& options = {}) {
  const Folder folder;
  return trace::open_trace(folder.write("t.csv", text), options);
}

const std::string remedy = "; export it with `nsys stats --report cuda_gpu_trace --format csv`";
const std::string row_remedy = "; correct this line, or export the file again";
// Made from the list of formats.
const std::string accepted =
    "; kr reads: nsys SQLite exports, layer-wise profiles of vLLM (JSON), profiles of "
    "Triton's Proton (.hatchet), Ascend timelines (JSON), PyTorch profiler JSON, "
    "Paraver traces, Ascend operation CSV, CUPTI activity CSV, ncu CSV, cuda_gpu_trace CSV of nsys "
    "stats, nsys reports "
    "(.nsys-rep)";

}  // namespace

TEST_CASE("rows that break the format are named with line, offset and column") {
  const std::string at = fmt::format(":3: at byte {}: ", header.size() + row.size());
  const Case cases[] = {
      {"x,10,1,1,GPU (0),1,7,k\n", "`Start (ns)` is not a number: `x`"},
      {",10,1,1,GPU (0),1,7,k\n", "`Start (ns)` is missing"},
      {"100,,1,1,GPU (0),1,7,k\n", "`Duration (ns)` is missing"},
      {"100,None,1,1,GPU (0),1,7,k\n", "`Duration (ns)` is missing"},
      {"100,-10,1,1,GPU (0),1,7,k\n", "`Duration (ns)` is negative: -10"},
      {"-100,10,1,1,GPU (0),1,7,k\n", "`Start (ns)` is negative: -100"},
      {"9223372036854775808,10,1,1,GPU (0),1,7,k\n",
       "`Start (ns)` does not fit in 64 bits of nanoseconds: 9223372036854775808"},
      {"9223372036854775807,1,1,1,GPU (0),1,7,k\n",
       "the sum of `Start (ns)` and `Duration (ns)` exceeds 64 bits of nanoseconds"},
      {"100,10,1,1,GPU (0),1,k\n", "the row has 7 cells, but the header has 8"},
      {"100,10,1,1,GPU (0),1,7,k,k\n", "the row has 9 cells, but the header has 8"},
      {"100,10,1,1,GPU (0),1,7,a\"b\n", "unexpected quote in cell 8"},
      {"100,10,1,1,GPU (0),1,7,\"a\"b\n", "unexpected quote in cell 8"},
      {"100,10,1,1,GPU (0),1,x,k\n", "`Strm` is not a number: `x`"},
      {"hello\n", "the row has 1 cells, but the header has 8"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    trace::OpenOptions strict;
    strict.strict = true;
    CHECK(opened(header + row + c.text + row, strict) == at + c.message + row_remedy);
  }
}

TEST_CASE("rows whose time cannot be right stop nothing, and have no time") {
  const trace::Trace whole = read_text(header + row + row);
  for (const char* bad :
       {",10,1,1,GPU (0),1,7,k\n", "100,,1,1,GPU (0),1,7,k\n", "100,-10,1,1,GPU (0),1,7,k\n",
        "-100,10,1,1,GPU (0),1,7,k\n", "9223372036854775808,10,1,1,GPU (0),1,7,k\n",
        "9223372036854775807,1,1,1,GPU (0),1,7,k\n"}) {
    CAPTURE(bad);
    const trace::Trace trace = read_text(header + row + bad + row);
    CHECK(trace.operations.size() == 3);
    CHECK(trace.untimed.size() == 1);
    CHECK(trace.first_start_ns == whole.first_start_ns);
    CHECK(trace.last_end_ns == whole.last_end_ns);
    int64_t total = 0;
    for (const trace::Operation& one : trace.operations) total += one.duration_ns;
    CHECK(total == 2 * whole.operations[0].duration_ns);
  }
}

TEST_CASE("lines are counted through what stands before and between reports") {
  std::string text;
  for (int i = 0; i < 40000; ++i) text += "a\n";
  text += header + row + "\n";
  for (int i = 0; i < 40000; ++i) text += "Processing [a]\n";
  text += header + row;
  CHECK(opened(text + "x,10,1,1,GPU (0),1,7,k\n") ==
        fmt::format(":80006: at byte {}: `Start (ns)` is not a number: `x`", text.size()) +
            row_remedy);
}

TEST_CASE("a file that ends within a row is cut off") {
  const std::string whole = header + row;
  const std::string at = fmt::format(":3: at byte {}: ", whole.size());
  const std::string message = at +
                              "the file is cut off in this row; export it again, or read the "
                              "complete part with --allow-truncated";
  for (const char* cut : {"1", "100,10", "100,10,1,1,GPU (0),1,7", "100,10,1,1,GPU (0),1,7,\"k"}) {
    CAPTURE(cut);
    CHECK(opened(whole + cut) == message);
    trace::OpenOptions options;
    options.allow_truncated = true;
    const trace::Trace trace = read_text(whole + cut, options);
    CHECK(trace.operations.size() == 1);
    REQUIRE(trace.warnings.size() == 1);
    CHECK(trace.warnings[0].text.ends_with(
        fmt::format("its last row, at byte {}, is incomplete and is dropped", whole.size())));
  }
  CHECK(read_text(whole + "100,10,1,1,GPU (0),1,7,k").operations.size() == 2);
}

TEST_CASE("what is not a trace is told what it is") {
  const std::string sum = "Time (%),Total Time (ns),Instances,Avg (ns),Name\n1.0,2,1,2.0,k\n";
  const Case cases[] = {
      {"", ": is empty; nsys writes a file of 0 bytes when nothing was captured"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
       ": is a Git LFS pointer, not the file itself; fetch it with `git lfs pull`"},
      {"[\"a\", \"b\"]", ": is JSON, but not a trace" + accepted},
      {std::string("\x00\x01\x02junk", 7), ": is in an unknown format (binary data)" + accepted},
      {"hello\nworld\n", ": is text without the header of a cuda_gpu_trace report" + remedy},
      {sum,
       ":1: at byte 0: contains cuda_gpu_kern_sum, not cuda_gpu_trace: sums have no start times" +
           remedy},
      {"NOTICE: x\n\n" + sum,
       ":3: at byte 11: contains cuda_gpu_kern_sum, not cuda_gpu_trace: sums have no start times" +
           remedy},
      {std::string(5000, '\n') + "\"ID\",\"Process ID\",\"Kernel Name\"\n\"0\",\"1\",\"k\"\n",
       ":5001: at byte 5000: contains an ncu page, not cuda_gpu_trace; a page of ncu must begin in "
       "the first 4 KiB: remove the text before this line"},
      {"Start (ns),CorrId,GrdX,BlkX,Device,Strm,Name\n1,2,3,4,5,6,7\n",
       ":1: at byte 0: the header has no column `Duration`; it has Start (ns), CorrId, GrdX, BlkX, "
       "Device, Strm, Name" +
           remedy},
      {"Start (sec),Duration (sec),Device,Strm,Name\n1.0,0.0,GPU (0),7,k\n",
       ":1: at byte 0: times are printed in seconds, which nsys rounds to 100 us: most durations "
       "are 0; export in nanoseconds (`--timeunit nsec`), or use --allow-inexact"},
      {"\xff\xfeS\0t\0",
       ": is UTF-16 text, as PowerShell redirects it; write it with --output FILE of `nsys stats` "
       "or --log-file FILE of ncu, or convert it to UTF-8"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    CHECK(opened(c.text) == c.message);
  }
}

TEST_CASE("paths that hold nothing to read") {
  const Folder folder;
  CHECK(error_of(folder.path("none.csv")) ==
        folder.path("none.csv") + ": no such file; check the spelling of its name");
  CHECK(error_of(folder.path("")).find("is a folder, not a trace") != std::string::npos);
}

TEST_CASE("no GPU work is a result") {
  const trace::Trace skipped = read_text(
      "Processing [a.sqlite] with [x.py]... \n"
      "SKIPPED: a.sqlite does not contain GPU trace data.\n\n");
  CHECK(skipped.operations.empty());
  REQUIRE(skipped.warnings.size() == 1);
  CHECK(skipped.warnings[0].text ==
        "nsys found no GPU work to report: SKIPPED: a.sqlite does not contain GPU trace data.");
  CHECK(skipped.first_start_ns == 0);
  CHECK(skipped.last_end_ns == 0);
  const trace::Trace bare = read_text(header);
  CHECK(bare.operations.empty());
  REQUIRE(bare.warnings.size() == 1);
  CHECK(bare.warnings[0].text == "The report has a header and no rows: there was no GPU work.");
}

TEST_CASE("seconds are read when that is allowed, and say that they are inexact") {
  trace::OpenOptions options;
  options.allow_inexact = true;
  const trace::Trace trace =
      read_text("Start (sec),Duration (sec),Device,Strm,Name\n1.5,0.0003,GPU (0),7,k\n", options);
  CHECK(dump(trace) == "1500000000 300000 kernel GPU (0) 7 k\n");
  CHECK(trace.inexact == "times are printed in seconds, rounded to 100 us");
}

TEST_CASE("each column has a unit of its own") {
  const trace::Trace trace = read_text(
      "Start (ns),Duration (us),Device,Strm,Name\n"
      "1500,2.25,GPU (0),7,k\n8000,3,GPU (0),7,\"a,b\"\n");
  CHECK(dump(trace) == "1500 2250 kernel GPU (0) 7 k\n8000 3000 kernel GPU (0) 7 a,b\n");
}

TEST_CASE("devices are told apart by number, then by name") {
  const trace::Trace trace = read_text(
      "Start (ns),Duration (ns),Device,Strm,Name\n"
      "1,1,H100 (1),7,k\n2,1,H100 (0),7,k\n3,1,Zeta,7,k\n4,1,Alpha (x),,k\n5,1,,None,k\n");
  CHECK(dump(trace) ==
        "1 1 kernel H100 (1) 7 k\n2 1 kernel H100 (0) 7 k\n3 1 kernel Zeta (4) 7 k\n"
        "4 1 kernel Alpha (x) (3) 0 k\n5 1 kernel  (2) 0 k\n");
}

TEST_CASE("a row as long as a name may be, and one that never ends") {
  const std::string name(3 << 20, 'x');
  const trace::Trace trace =
      read_text(header + row + "100,10,1,1,GPU (0),1,7,\"" + name + "\"\n" + row);
  CHECK(trace.operations.size() == 3);
  const std::string open(70 << 20, 'x');
  CHECK(opened(header + row + "100,10,1,1,GPU (0),1,7,\"" + open)
            .ends_with("a row or line begins here that does not end within 64 MiB; is this a CSV "
                       "with a missing quote?"));
}

TEST_CASE("a damaged compressed file") {
  const Folder folder;
  std::string packed = gzip(header + row);
  packed[packed.size() - 6] ^= 1;  // of the checksum
  CHECK(error_of(folder.write("a.gz", packed)).find("its gzip data is damaged") !=
        std::string::npos);
  CHECK(error_of(folder.write("b.gz", gzip(header + row) + "junk"))
            .find("has bytes after the end of its gzip data") != std::string::npos);
  std::string zpacked = zstd(header + row);
  zpacked[zpacked.size() / 2] ^= 0x55;
  CHECK(!error_of(folder.write("c.zst", zpacked)).empty());
}

}  // namespace kr::test::bad_csv_test
