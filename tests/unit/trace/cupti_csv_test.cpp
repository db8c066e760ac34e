// CSVs of CUPTI activity: what files and columns are, units that no header tells, the host trace,
// and each way they can be wrong with the message it gets.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "support.hpp"
#include "trace/readers/cupti_layout.hpp"
#include "trace/readers/dict_cell.hpp"

namespace kr::test::cupti_csv_test {
namespace {

using Files = std::map<std::string, std::string>;

const std::string header = "start,end,name,correlation,device,stream\n";

/// A folder of these files, as a trace or what stands behind the folder's path in an Error.
struct Run {
  explicit Run(const Files& files) {
    for (const auto& [name, bytes] : files) folder.write(name, bytes);
  }
  trace::Trace read(trace::OpenOptions options = {}) const {
    options.host = trace::HostDetail::all;
    return trace::open_trace(folder.path(""), options);
  }
  std::string error(const trace::OpenOptions& options = {}) const {
    const std::string what = error_of(folder.path(""), options);
    const std::string path = folder.path("");
    return what.starts_with(path) ? what.substr(path.size()) : what;
  }
  Folder folder;
};

std::string told(const trace::Trace& trace) {
  std::string out = dump(trace);
  for (const Warning& warning : trace.warnings) out += "! " + warning.text + "\n";
  for (const trace::DroppedRecords& records : trace.dropped)
    out += fmt::format("- {} {}\n", records.count, records.what);
  return out;
}

}  // namespace

TEST_CASE("the name of a file tells its kind") {
  using enum kr::trace::CuptiKind;
  struct Case {
    const char* name;
    trace::CuptiKind kind;
    const char* word;
  };
  const Case cases[] = {
      {"conc_kernel.csv", kernel, "conc_kernel"},
      {"run/kernel.csv", kernel, "kernel"},
      {"rank0_conc_kernel.csv", kernel, "conc_kernel"},
      {"cupti_gpu_memcpy.csv.gz", memcpy, "gpu_memcpy"},
      {"GPU-Memset.CSV.zst", memset, "gpu_memset"},
      {"cuda_runtime.rank3.csv", runtime, "cuda_runtime"},
      {"a.cuda driver.csv", driver, "cuda_driver"},
      {"CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL.csv", kernel, "concurrent_kernel"},
      {"CUPTI_ACTIVITY_KIND_RUNTIME.csv", runtime, "runtime"},
      {"kernel_test_cuda_runtime.csv", runtime, "cuda_runtime"},
      {"memcpy2.csv", memcpy, "memcpy2"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const auto file = trace::cupti_file_name(c.name);
    REQUIRE(file);
    CHECK(file->kind == c.kind);
    CHECK(file->word == c.word);
  }
  for (const char* name :
       {"kernel.txt", "kernel", "kernelsum.csv", "cpu_op.csv", ".csv", "kernel.csv.xz"}) {
    CAPTURE(name);
    CHECK(!trace::cupti_file_name(name));
  }
}

TEST_CASE("columns are found by any spelling") {
  const char* starts[] = {"start",   "Start",      "start_ns", "start (ns)",        "START [ns]",
                          "startNs", "start time", "begin",    "StartTimestamp_ns", " start "};
  const char* ends[] = {"end", "End (ns)", "end_ns", "stop", "endNs"};
  for (const char* start : starts) {
    for (const char* end : ends) {
      CAPTURE(start);
      CAPTURE(end);
      const trace::CuptiHeader read = trace::read_cupti_header(
          {"x", end, "correlationId", "deviceId", "stream_id", "kernel_name", start}, {});
      CHECK(read.fault == "");
      CHECK(read.layout.start.column == 6);
      REQUIRE(read.layout.end);
      CHECK(read.layout.end->column == 1);
      CHECK(read.layout.correlation == 2);
      CHECK(read.layout.device == 3);
      CHECK(read.layout.stream == 4);
      CHECK(read.layout.name == 5);
      CHECK(read.layout.kind == trace::CuptiKind::kernel);
    }
  }
}

TEST_CASE("units stand in headers, else names and numbers tell") {
  struct Case {
    std::vector<std::string_view> titles;
    std::optional<int> exponent;
  };
  const Case cases[] = {
      {{"start", "end", "name"}, {}},          {{"start_us", "end_us", "name"}, 3},
      {{"start (us)", "end", "name"}, 3},      {{"start", "end [ms]", "name"}, 6},
      {{"start", "dur (ns)", "name"}, 0},      {{"ts", "dur", "name"}, 3},
      {{"ts", "dur_ns", "name"}, 0},           {{"ts_ns", "dur", "name"}, 0},
      {{"start_seconds", "end", "name"}, 9},   {{"start (\xc2\xb5s)", "end", "name"}, 3},
      {{"startUs", "endUs", "kernelName"}, 3}, {{"Start", "Elapsed", "Symbol"}, {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.titles[0]);
    CAPTURE(c.titles[1]);
    const trace::CuptiHeader read = trace::read_cupti_header(c.titles, trace::CuptiKind::kernel);
    CHECK(read.fault == "");
    const bool same = read.layout.start.exponent == c.exponent;
    CHECK(same);
  }
  // Each column has its own where both tell.
  const trace::CuptiHeader mixed =
      trace::read_cupti_header({"start (us)", "dur [ns]", "name"}, trace::CuptiKind::kernel);
  CHECK(mixed.layout.start.exponent == 3);
  CHECK(mixed.layout.duration->exponent == 0);
}

TEST_CASE("a folder is one trace with its host trace") {
  const Run run(
      {{"kernel.csv", header + "1000,1500,gemm,7,0,3\n1600,1700,\"a, b\",8,0,3\n"},
       {"gpu_memcpy.csv", "start,end,copyKind,correlationId,deviceId,streamId\n900,950,1,6,0,3\n"},
       {"gpu_memset.csv", "start,end,correlationId,deviceId,streamId\n960,970,5,0,3\n"},
       {"cuda_runtime.csv",
        "name,start,end,correlation,pid,tid\ncudaLaunchKernel_v7000,800,820,7,1,2\n"
        "cudaMemcpyAsync,700,720,6,1,2\n"},
       {"cuda_driver.csv", "name,start,end,correlation,pid,tid\ncuLaunchKernel,830,840,8,1,3\n"}});
  const trace::Trace trace = run.read();
  CHECK(told(trace) ==
        "900 50 memcpy  (0) 3 [CUDA memcpy Host-to-Device]\n"
        "960 10 memset  (0) 3 [CUDA memset]\n"
        "1000 500 kernel  (0) 3 gemm\n"
        "1600 100 kernel  (0) 3 a, b\n"
        "! No header contains a unit and no time has a fraction: times are read as nanoseconds.\n");
  REQUIRE(trace.host);
  std::string launches;
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const trace::Launch* launch = trace.host->launch(i);
    if (launch == nullptr) {
      launches += "none\n";
      continue;
    }
    const trace::HostThread& thread = trace.host->threads[launch->thread];
    const trace::HostCall& call = trace.host->calls[launch->call];
    launches += fmt::format("{} {} {} {}/{} {}\n", launch->start_ns, launch->duration_ns, call.name,
                            thread.process, thread.thread, call.driver ? "driver" : "runtime");
  }
  CHECK(launches ==
        "700 20 cudaMemcpyAsync 1/2 runtime\n"
        "none\n"
        "800 20 cudaLaunchKernel 1/2 runtime\n"
        "830 10 cuLaunchKernel 1/3 driver\n");
  CHECK(trace.host->orphans == 1);
}

TEST_CASE("a fraction in any file makes microseconds of all times without a unit") {
  const Files files{
      {"kernel.csv", header + "1000,1500,gemm,7,0,3\n"},
      {"gpu_memset.csv", "start_ns,end_ns,correlation,device,stream\n960,970,5,0,3\n"},
      {"cuda_runtime.csv",
       "name,start,end,correlation\na,10,12,1\ncudaLaunchKernel,800.5,820.25,7\n"}};
  const Run run(files);
  const trace::Trace trace = run.read();
  const std::string path = run.folder.path("");
  CHECK(
      told(trace) ==
      fmt::format("960 10 memset  (0) 3 [CUDA memset]\n"
                  "1000000 500000 kernel  (0) 3 gemm\n"
                  "! No header contains a unit and `start` in {}cuda_runtime.csv:3 has a fraction: "
                  "times are read as microseconds.\n",
                  path));
  CHECK(trace.host->launches[0].start_ns == 10'000);
  CHECK(trace.host->launches[0].duration_ns == 2'000);
  CHECK(trace.host->launches[1].start_ns == 800'500);
  CHECK(trace.host->launches[1].duration_ns == 19'750);
  // The same without the host trace.
  CHECK(dump(trace::open_trace(path)) == dump(trace));
}

TEST_CASE("whole numbers too large to be microseconds are at fault where these are met") {
  const std::string large = "1800000000000000000,1800000000000000500,gemm,7,0,3\n";
  CHECK(dump(Run(Files{{"kernel.csv", header + large}}).read()) ==
        "1800000000000000000 500 kernel  (0) 3 gemm\n");
  const Run mixed(Files{{"kernel.csv", header + large},
                        {"cuda_runtime.csv", "name,start,end,correlation\na,800.5,820.25,7\n"}});
  trace::OpenOptions strict;
  strict.strict = true;
  CHECK(mixed.error(strict) ==
        "kernel.csv:2: at byte 41: `start` does not fit in 64 bits of nanoseconds: "
        "1800000000000000000");
  CHECK(mixed.read().untimed_why == "1 with a time beyond 64 bits of nanoseconds");
}

TEST_CASE("calls that cannot be are counted, and stop nothing") {
  const std::string calls =
      "start,end,name,correlation\n10,20,a,7\n-5,20,a,7\n30,20,a,7\nx,20,a,7\n,20,a,7\n"
      "x.5,20,a,7\n40,50,a,0x1\n60,70,a\n60,70,a,1,2\n";
  const Run run(
      Files{{"kernel.csv", header + "1000,1500,gemm,7,0,3\n"}, {"cuda_runtime.csv", calls}});
  const trace::Trace trace = run.read();
  const std::string dropped =
      "- 5 cuda_runtime.csv: call without a valid time\n"
      "- 1 cuda_runtime.csv: call whose correlation is not a number\n"
      "- 2 cuda_runtime.csv: call in a row with more or fewer cells than the header\n";
  CHECK(told(trace) ==
        "1000 500 kernel  (0) 3 gemm\n"
        "! No header contains a unit and no time has a fraction: times are read as nanoseconds.\n" +
            dropped);
  CHECK(trace.host->launches.size() == 2);
  CHECK(told(trace::open_trace(run.folder.path(""))) == told(trace));
  // Too large where a fraction says that it is microseconds.
  const Run mixed(Files{
      {"kernel.csv", header + "1000,1500,gemm,7,0,3\n"},
      {"cuda_runtime.csv",
       "start,end,name,correlation\n1800000000000000000,1800000000000000500,a,1\n800.5,820.25,a,7\n"
       "1800000000000000000,1800000000000000500,a,1\n"}});
  const trace::Trace micro = mixed.read();
  CHECK(micro.operations[0].start_ns == 1'000'000);
  REQUIRE(micro.host->launches.size() == 1);
  CHECK(micro.host->launches[0].start_ns == 800'500);
  REQUIRE(micro.dropped.size() == 1);
  CHECK(micro.dropped[0].what == "cuda_runtime.csv: call without a valid time");
  CHECK(micro.dropped[0].count == 2);
}

TEST_CASE("end and duration have to agree, or the end counts") {
  const std::string both = "start,end,dur,name,device,stream\n";
  CHECK(told(Run(Files{{"kernel.csv",
                        both + "10,15,5,a,0,0\n20,25,6,b,0,0\n30,,7,c,0,0\n40,47,,d,0,0\n"}})
                 .read()) ==
        "10 5 kernel  (0) 0 a\n20 5 kernel  (0) 0 b\n30 7 kernel  (0) 0 c\n40 7 kernel  (0) 0 d\n"
        "! No header contains a unit and no time has a fraction: times are read as nanoseconds.\n"
        "- 1 kernel.csv: activity with inconsistent end and duration: the end is used\n");
  // Rounded each for itself, they may be a nanosecond apart.
  const trace::Trace rounded =
      Run(Files{{"kernel.csv", both + "10.0004,15.0006,5.0014,a,0,0\n20.0,25.0,5.002,b,0,0\n"}})
          .read();
  CHECK(rounded.dropped.size() == 1);
  CHECK(rounded.dropped[0].count == 1);
}

TEST_CASE("what CUPTI did not collect is a loss") {
  CHECK(
      told(
          Run(Files{{"kernel.csv", header + "0,0,a,1,0,7\n5,0,b,2,0,7\n6,,c,3,0,7\n7,8,d,4,0,7\n"}})
              .read()) ==
      "7 1 kernel  (0) 7 d\n7 0 kernel  (0) 7 a\n7 0 kernel  (0) 7 b\n7 0 kernel  (0) 7 c\n"
      "! No header contains a unit and no time has a fraction: times are read as nanoseconds.\n"
      "! 3 of 4 operations have a time that cannot be right and count as instances without time: "
      "3 without a start, an end or a duration. The first is kernel `a` on device 0, stream 7.\n");
  CHECK(told(Run(Files{{"kernel.csv",
                        "start_ns,end_ns,name,device,stream\n1,2,,,\n3,4,None,0.0,7.0\n"}})
                 .read()) ==
        "1 1 kernel  (0) 0 (unnamed kernel)\n3 1 kernel  (0) 7 None\n"
        "- 1 kernel.csv: operation without a device number: assigned to device 0\n"
        "- 1 kernel.csv: operation without a stream number: assigned to stream 0\n"
        "- 1 kernel.csv: operation without a name\n");
  CHECK(told(Run(Files{{"kernel.csv",
                        "start_ns,end_ns,demangledName,deviceId,streamId\n1,2,775,0,7\n"}})
                 .read()) ==
        "1 1 kernel  (0) 7 (unnamed kernel 775)\n"
        "- 1 kernel.csv: kernel name id without a string\n");
}

TEST_CASE("events of a Chrome trace as rows") {
  const std::string rows =
      "ph,cat,name,pid,tid,ts,dur,args\n"
      "X,kernel,k,2,stream 9,10.5,2,\"{\"\"stream\"\": 7, \"\"correlation\"\": 4}\"\n"
      "X,kernel,k,2,9,20,2,\"{'device': 1, 'stream': 8, 'name': '}{', 'correlation': 5}\"\n";
  const trace::Trace trace =
      Run(Files{{"kernel.csv", rows},
                {"cuda_runtime.csv",
                 "ts,dur,name,pid,tid,args\n3,1,cudaLaunchKernel,77,78,\"{'correlation': 5}\"\n"}})
          .read();
  CHECK(told(trace) == "10500 2000 kernel  (2) 7 k\n20000 2000 kernel  (1) 8 k\n");
  CHECK(trace.host->orphans == 1);
  CHECK(trace.host->launch(1)->start_ns == 3000);
  CHECK(trace.host->threads[0].thread == "78");
}

TEST_CASE("members of objects in cells") {
  const auto member = [](std::string_view cell, std::string_view key) {
    return std::string(trace::member_of_cell(cell, key).value_or("(none)"));
  };
  CHECK(member(R"({"device": 0, "stream": 7})", "stream") == "7");
  CHECK(member(R"({"a": {"stream": 1}, "stream":7})", "stream") == "7");
  CHECK(member(R"({'a': ['stream', 1], 'stream': '7'})", "stream") == "7");
  CHECK(member(R"({"a\"": "stream", "stream" : 7})", "stream") == "7");
  CHECK(member(R"({"stream": {"x": 1}})", "stream") == "(none)");
  for (const char* cell :
       {"", "{", "7", "{\"stream\"", "{\"stream\":", "{\"stream", "[\"stream\": 7", "}}}"}) {
    CAPTURE(cell);
    CHECK(member(cell, "device") == "(none)");
  }
}

TEST_CASE("rows and headers that cannot be read") {
  struct Case {
    std::string text;
    std::string message;
  };
  const std::string line = "; correct this line, or export the file again";
  const Case cases[] = {
      {header + "x,2,a,1,0,7\n",
       ":2: at byte 41: `start` is not a number: `x`; write times as whole numbers or decimals: a "
       "double "
       "printed with an exponent has lost digits"},
      {header + "1.5e+18,2,a,1,0,7\n",
       ":2: at byte 41: `start` is not a number: `1.5e+18`; write times as whole numbers or "
       "decimals: "
       "a "
       "double printed with an exponent has lost digits"},
      {header + ",2,a,1,0,7\n", ":2: at byte 41: `start` is missing" + line},
      {header + "-1,2,a,1,0,7\n", ":2: at byte 41: `start` is negative: -1" + line},
      {header + "5,2,a,1,0,7\n", ":2: at byte 41: `end` comes before `start`: 2, 5" + line},
      {"start,dur,name\n1,-2,a\n", ":2: at byte 15: `dur` is negative: -2" + line},
      {"start,dur,name\n1,,a\n", ":2: at byte 15: `dur` is missing" + line},
      {header + "1,2,a,1,x,7\n", ":2: at byte 41: `device` is not a number: `x`" + line},
      {header + "1,2,a,1,-1,7\n", ":2: at byte 41: `-1` is not a device number" + line},
      {header + "1,2,a,1,0,7.5\n", ":2: at byte 41: `stream` is not a number: `7.5`" + line},
      {header + "1,2,a,0x1,0,7\n", ":2: at byte 41: `correlation` is not a number: `0x1`" + line},
      {header + "1,2,a,1,0\n", ":2: at byte 41: the row has 5 cells, but the header has 6" + line},
      {header + "1,2,a\"b,1,0,7\n", ":2: at byte 41: unexpected quote in cell 3" + line},
      {header + "1,2,a,1,0,7\n1,2",
       ":3: at byte 53: the file is cut off in this row; export it again, or read the complete "
       "part with --allow-truncated"},
      {"begin,name,correlation\n1,a,2\n",
       ":1: at byte 0: the header has no column for the end and none for the duration; it has "
       "begin, "
       "name, correlation; name it `end`, `dur` or `duration`"},
      {"stat,end,name\n1,a,2\n",
       ":1: at byte 0: the header has no column for the start; it has stat, end, name; name it "
       "`start`, `start_ns`, `start (us)` or `ts`"},
      {"start,end,device\n1,2,0\n",
       ":1: at byte 0: the header has no column for the name; it has start, end, device; name it "
       "`name`"},
      {"start,end,Start,name\n1,2,3,a\n",
       ":1: at byte 0: the header has two columns for the start: `start` and `Start`; remove one "
       "of them"},
      {"start_us,end,start_ns,name\n1,2,3,a\n",
       ":1: at byte 0: the header has two columns for the start: `start_us` and `start_ns`; remove "
       "one of them"},
      {"start,end,name,name\n1,2,3,a\n",
       ":1: at byte 0: the header has two columns for the name: `name` and `name`; remove one of "
       "them"},
      {"start (cycles),end,name\n1,2,a\n",
       ":1: at byte 0: `start (cycles)` is in an unknown unit; known units are ns, us, ms and s"},
      {"version https://git-lfs.github.com/spec/v1\n",
       ": is a Git LFS pointer, not the file itself; fetch it with `git lfs pull`"},
  };
  trace::OpenOptions strict;
  strict.strict = true;
  for (const Case& c : cases) {
    CAPTURE(c.text);
    CHECK(Run(Files{{"kernel.csv", c.text}}).error(strict) == "kernel.csv" + c.message);
  }
}

TEST_CASE("folders that hold nothing to read, or too much") {
  const std::string remedy =
      "; name a file in it, or a folder with kernel.csv or conc_kernel.csv and, if available, "
      "cuda_runtime.csv, cuda_driver.csv, gpu_memcpy.csv, gpu_memset.csv";
  const std::string none = ": is a folder, not a trace, and contains no CSV of CUPTI activity";
  CHECK(Run(Files{}).error() == none + remedy);
  CHECK(Run(Files{{"a.json", "{}"}}).error() == none + remedy);
  CHECK(Run(Files{{"cpu_op.csv", "a\n"}, {"kernel.csv", "name,count\na,1\n"}}).error() ==
        none + " (its CSVs are cpu_op.csv, kernel.csv)" + remedy);
  const Run nested(Files{});
  std::filesystem::create_directory(nested.folder.path("rank0"));
  CHECK(nested.error() == none + " (there are folders in it: rank0)" + remedy);
  const std::string row = header + "1,2,a,1,0,7\n";
  CHECK(Run(Files{{"rank0_kernel.csv", row}, {"rank1_kernel.csv", row}}).error() ==
        ": contains two files of kernels: rank0_kernel.csv and rank1_kernel.csv; one folder is one "
        "run: use a separate folder for each rank or process");
  const trace::Trace twice = Run(Files{{"kernel.csv", row}, {"conc_kernel.csv", row}}).read();
  CHECK(twice.operations.size() == 2);
  CHECK(twice.warnings[0].text ==
        "conc_kernel.csv, kernel.csv all contain kernels; a kernel that is in several of them is "
        "counted several times.");
}

TEST_CASE("what else lies in a folder") {
  const std::string row = header + "1,2,a,1,0,7\n";
  const Run run(Files{{"kernel.csv", row},
                      {"gpu_memcpy.csv", ""},
                      {"gpu_memset.csv", "\r\n"},
                      {"cuda_driver.csv", "start,end,name\n"},
                      {"cpu_op.csv", "a,b\n"},
                      {"memcpy_sum.csv", "name,total\n"},
                      {"notes.txt", "x"}});
  CHECK(told(run.read()) ==
        "1 1 kernel  (0) 7 a\n"
        "! gpu_memcpy.csv is empty (0 bytes).\n"
        "! No header contains a unit and no time has a fraction: times are read as nanoseconds.\n"
        "! 2 CSVs in the folder contain no CUPTI activity and were skipped: cpu_op.csv, "
        "memcpy_sum.csv.\n"
        "- 2 CSV without CUPTI activity\n");
  const Run links(Files{});
  const std::string target = run.folder.path("kernel.csv");
  std::filesystem::create_symlink(target, links.folder.path("rank0_kernel.csv"));
  CHECK(dump(links.read()) == "1 1 kernel  (0) 7 a\n");
  std::filesystem::create_symlink("nowhere.csv", links.folder.path("cuda_runtime.csv"));
  CHECK(links.error().find("cuda_runtime.csv: ") == 0);
  CHECK(links.error().find("nowhere.csv") != std::string::npos);
  const Run calls(Files{{"cuda_runtime.csv", "start_ns,end_ns,name\n1,2,a\n"}});
  CHECK(told(calls.read()) ==
        "! The folder contains no GPU work: it has no rows of kernels, copies or sets.\n");
}

TEST_CASE("rows that are put together, cut off, or packed") {
  const std::string row = header + "1,2,a,1,0,7\n";
  CHECK(Run(Files{{"kernel.csv", row + "\n \n" + row}}).read().operations.size() == 2);
  CHECK(Run(Files{{"kernel.csv.gz", gzip(row)}}).read().operations.size() == 1);
  CHECK(Run(Files{{"kernel.csv.zst", zstd(row)}}).read().operations.size() == 1);
  trace::OpenOptions options;
  options.allow_truncated = true;
  const trace::Trace cut = Run(Files{{"kernel.csv", row + "3,4,b"}}).read(options);
  CHECK(cut.operations.size() == 1);
  CHECK(cut.warnings[0].text.ends_with("its last row, at byte 53, is incomplete and is dropped"));
}

TEST_CASE("one file by itself is told by its columns") {
  const Folder folder;
  const auto format_of = [&](const std::string& name, const std::string& text) {
    const trace::Trace trace = trace::open_trace(folder.write(name, text));
    return trace.format + ": " + dump(trace);
  };
  CHECK(format_of("x.csv", header + "1,2,a,1,0,7\n") == "cupti-csv: 1 1 kernel  (0) 7 a\n");
  CHECK(format_of("x.csv", "\xef\xbb\xbf" + header + "1,2,a,1,0,7\n") ==
        "cupti-csv: 1 1 kernel  (0) 7 a\n");
  CHECK(format_of("x.csv", "start,end,copyKind,deviceId\n1,2,2,0\n") ==
        "cupti-csv: 1 1 memcpy  (0) 0 [CUDA memcpy Device-to-Host]\n");
  CHECK(format_of("gpu_memset.csv", "start,end,deviceId,streamId\n1,2,2,0\n") ==
        "cupti-csv: 1 1 memset  (2) 0 [CUDA memset]\n");
  const trace::Trace calls = trace::open_trace(
      folder.write("x.csv", "start_ns,end_ns,name,correlationId,tid\n1,2,a,3,4\n"));
  CHECK(calls.operations.empty());
  CHECK(calls.warnings[0].text.find("contains calls of the runtime but no GPU work") !=
        std::string::npos);
  // Reports of nsys stay what they are.
  CHECK(format_of("x.csv", "Start (ns),Duration (ns),Device,Strm,Name\n1,2,GPU (0),7,a\n") ==
        "nsys-gpu-trace-csv: 1 2 kernel GPU (0) 7 a\n");
  CHECK(
      error_of(folder.write("x.csv", "Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid,T-Pri\n"))
          .find("contains cuda_api_trace") != std::string::npos);
  CHECK(error_of(folder.write("x.csv", "start,end,name\n1,2,a\n")).find("is text without") !=
        std::string::npos);
}

TEST_CASE("the name of a run that is a folder is the folder's") {
  CHECK(trace::trace_stem("runs/rank0/") == "rank0");
  const Folder folder;
  std::filesystem::create_directory(folder.path("rank1"));
  CHECK(trace::trace_stem(folder.path("rank1/.")) == "rank1");
  CHECK(trace::trace_stem(folder.path("rank1/x/..")) == "rank1");
}

}  // namespace kr::test::cupti_csv_test
