// What AMD's profilers write: rocmProfileData, rocpd in both layouts, JSON and CSVs of rocprofv3.
// The same small run in each, what only one of them has, and each way they can be wrong.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "base/sqlite.hpp"
#include "support.hpp"
#include "trace/readers/rocm_names.hpp"
#include "trace/readers/rocprof_layout.hpp"

namespace kr::test::rocm_test {
namespace {

std::string database(const Folder& folder, const std::string& sql, const char* name = "t.db") {
  const std::string path = folder.path(name);
  sqlite::Database::write(path).execute(sql);
  return path;
}

trace::OpenOptions everything() {
  trace::OpenOptions options;
  options.host = trace::HostDetail::all;
  options.gpu_metrics = true;
  return options;
}

/// Operations with the call that launched them, ranges, notes.
std::string told(const trace::Trace& trace) {
  std::string out;
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const trace::Operation& one = trace.operations[i];
    const trace::OperationName& name = trace.names.get(one.name);
    const trace::Track& track = trace.track(one.track);
    const trace::Launch* const launch = trace.host ? trace.host->launch(i) : nullptr;
    out += fmt::format("{} {} {} {} {} {}", one.start_ns, one.duration_ns, to_string(name.kind),
                       track.device, track.stream, name.text);
    if (launch != nullptr) out += " < " + trace.host->calls[launch->call].name;
    out += '\n';
  }
  if (trace.host) {
    for (const trace::HostRange& range : trace.host->ranges) {
      const trace::HostThread& thread = trace.host->threads[range.thread];
      out += fmt::format("{}..{} {} {}/{}\n", range.start_ns, range.end_ns,
                         trace.host->range_names[range.name], thread.process, thread.thread);
    }
  }
  for (const trace::DroppedRecords& records : trace.dropped) {
    out += fmt::format("- {} {}\n", records.count, records.what);
  }
  for (const Warning& warning : trace.warnings) out += "! " + warning.code + '\n';
  return out;
}

std::string read(const std::string& path, trace::OpenOptions options = everything()) {
  std::string out;
  for (const trace::Trace& one : trace::open_traces(path, options)) {
    if (!one.distributed.member.empty()) out += '[' + one.distributed.member + "]\n";
    out += told(one);
  }
  return out;
}

/// After the path.
std::string refused(const std::string& path, const trace::OpenOptions& options = {}) {
  const std::string what = error_of(path, options);
  return what.starts_with(path) ? what.substr(path.size()) : what;
}

// One run: a kernel, its copy from the host, and a kernel of a graph, inside a range.
const std::string one_run =
    "10 5 kernel 0 1 gemm < hipLaunchKernel\n"
    "20 3 memcpy 0 0 MEMORY_COPY_HOST_TO_DEVICE < hipMemcpyAsync\n"
    "30 4 kernel 0 1 gemm < hipGraphLaunch\n"
    "1..9 step 7/7\n";

const std::string rpd_tables =
    "CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string TEXT);"
    "CREATE TABLE rocpd_op (id INTEGER PRIMARY KEY, gpuId INTEGER, queueId INTEGER, start INTEGER, "
    "end INTEGER, description_id INTEGER, opType_id INTEGER);"
    "CREATE TABLE rocpd_api (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, start INTEGER, "
    "end INTEGER, apiName_id INTEGER, args_id INTEGER);"
    "CREATE TABLE rocpd_api_ops (id INTEGER PRIMARY KEY, api_id INTEGER, op_id INTEGER);"
    "INSERT INTO rocpd_string VALUES (1, ''), (2, 'gemm.kd'), (3, 'KernelExecution'), (4, 'Task'),"
    "(5, 'MEMORY_COPY_HOST_TO_DEVICE'), (6, 'UserMarker'), (7, 'hipLaunchKernel'),"
    "(8, 'hipMemcpyAsync'), (9, 'hipGraphLaunch'), (10, 'step'), (11, 'hcc_activity_callback'),"
    "(12, 'Barrier'), (13, 'FillBuffer');";
const std::string rpd_rows =
    "INSERT INTO rocpd_op VALUES (101, 0, 1, 10, 15, 2, 3), (103, 0, 1, 30, 34, 2, 4),"
    "(102, 0, 0, 20, 23, 1, 5);"
    "INSERT INTO rocpd_api VALUES (1, 7, 7, 1, 9, 6, 10), (2, 7, 7, 2, 3, 7, 1), (3, 7, 7, 3, 4, "
    "8, "
    "1), (4, 7, 7, 4, 5, 9, 1);"
    "INSERT INTO rocpd_api_ops VALUES (1, 2, 101), (2, 3, 102), (3, 4, 103);";

/// A process of a rocpd database. With `timestamps`, times and places are ids.
std::string rocpd(const std::string& end, bool timestamps, int pid = 7) {
  const auto table = [&](std::string_view name, std::string_view columns, std::string_view rows) {
    std::string sql =
        fmt::format("CREATE TABLE rocpd_{}{} (id INTEGER PRIMARY KEY, {});", name, end, columns);
    if (!rows.empty()) sql += fmt::format("INSERT INTO rocpd_{}{} VALUES {};", name, end, rows);
    return sql + fmt::format("CREATE VIEW IF NOT EXISTS rocpd_{0} AS SELECT * FROM rocpd_{0}{1};",
                             name, end);
  };
  std::string sql =
      table("string", "string TEXT",
            "(1, ''), (5, 'MEMORY_COPY_HOST_TO_DEVICE'), (7, 'hipLaunchKernel'), (8, "
            "'hipMemcpyAsync'), (9, 'hipGraphLaunch'), (10, 'roctxRangePushA'), (21, "
            "'HIP_RUNTIME_API_EXT'), (22, 'MARKER_CORE_RANGE_API'), (23, 'KERNEL_DISPATCH')") +
      table("info_process", "pid INTEGER", fmt::format("(1, {})", pid)) +
      table("info_thread", "tid INTEGER", fmt::format("(4, {})", pid)) +
      table("info_agent", "type TEXT, type_index INTEGER, product_name TEXT",
            "(1, 'CPU', 0, 'cpu'), (3, 'GPU', 0, 'MI300X')") +
      table("info_kernel_symbol", "kernel_name TEXT, display_name TEXT",
            "(2, '_Z4gemm', 'gemm.kd')") +
      table(
          "event", "category_id INTEGER, stack_id INTEGER, correlation_id INTEGER, extdata TEXT",
          "(1, 22, 90, 0, '{\"message\": \"step\"}'), (2, 21, 91, 0, '{}'), (3, 21, 92, 0, '{}'), "
          "(4, 21, 93, 0, '{}'), (11, 23, 91, 0, '{}'), (12, 23, 92, 0, '{}'), (13, 23, 93, 0, "
          "'{}')");
  if (!timestamps) {
    return sql +
           table("kernel_dispatch",
                 "pid, tid, agent_id, kernel_id, queue_id, stream_id, start, end, event_id",
                 "(1, 1, 4, 3, 2, 1, 1, 10, 15, 11), (2, 1, 4, 3, 2, 1, 1, 30, 34, 13)") +
           table("memory_copy",
                 "pid, tid, start, end, name_id, dst_agent_id, src_agent_id, event_id",
                 "(1, 1, 4, 20, 23, 5, 3, 1, 12)") +
           table(
               "region", "pid, tid, start, end, name_id, event_id",
               "(1, 1, 4, 1, 9, 10, 1), (2, 1, 4, 2, 3, 7, 2), (3, 1, 4, 3, 4, 8, 3), (4, 1, 4, 4, "
               "5, 9, 4)");
  }
  return sql +
         table("timestamp", "value INTEGER",
               "(1, 10), (2, 15), (3, 30), (4, 34), (5, 20), (6, 23), (7, 1), (8, 9), (9, 2), (10, "
               "3), (11, 4), (12, 5)") +
         table("track", "pid, tid, agent_id, queue_id", "(1, 1, 4, NULL, NULL), (2, 1, 4, 3, 1)") +
         table("kernel_dispatch", "track_id, kernel_id, start_id, end_id, event_id",
               "(1, 2, 2, 1, 2, 11), (2, 2, 2, 3, 4, 13)") +
         table("memory_copy",
               "track_id, start_id, end_id, name_id, dst_agent_id, src_agent_id, "
               "event_id",
               "(1, 2, 5, 6, 5, 3, 1, 12)") +
         table("region", "track_id, name_id, start_id, end_id, event_id",
               "(1, 1, 10, 7, 8, 1), (2, 1, 7, 9, 10, 2), (3, 1, 8, 10, 11, 3), (4, 1, 9, 11, 12, "
               "4)");
}

std::string record(const std::string& what, int start, int end, int id) {
  return fmt::format(R"({{"thread_id": 7, "correlation_id": {{"internal": {}, "external": 0}}, )"
                     R"("start_timestamp": {}, "end_timestamp": {}, {}}})",
                     id, start, end, what);
}

/// A process as rocprofv3 writes it.
std::string process_json(int pid = 7) {
  const auto of_thread = [&](std::string text) {
    for (size_t at = 0; (at = text.find("\"thread_id\": 7", at)) != text.npos; ++at) {
      text.replace(at, 14, fmt::format("\"thread_id\": {}", pid));
    }
    return text;
  };
  const std::string dispatch =
      R"("kind": 2, "operation": 2, "dispatch_info": {"agent_id": {"handle": 102}, "queue_id": )"
      R"({"handle": 1}, "kernel_id": 5, "workgroup_size": {"x": 64, "y": 1, "z": 1}, "grid_size": )"
      R"({"x": 129, "y": 2, "z": 1}}, "stream_id": {"handle": 0})";
  return of_thread(
      fmt::format(
          R"({{"metadata": {{"pid": {}, "node": {{"id": 1}}}}, "agents": [)"
          R"({{"id": {{"handle": 100}}, "type": 1, "gpu_index": -1, "product_name": "cpu"}}, )"
          R"({{"id": {{"handle": 102}}, "type": 2, "gpu_index": 0, "product_name": "MI300X"}}], )",
          pid) +
      R"("counters": [], "strings": {"buffer_records": [{"kind": "NONE", "operations": []}, )"
      R"({"kind": "HIP_RUNTIME_API", "operations": ["hipLaunchKernel", "hipMemcpyAsync", )"
      R"("hipGraphLaunch"]}, {"kind": "KERNEL_DISPATCH", "operations": []}, {"kind": )"
      R"("MEMORY_COPY", "operations": ["NONE", "MEMORY_COPY_HOST_TO_DEVICE"]}, {"kind": )"
      R"("MARKER_CORE_API", "operations": ["roctxRangePushA"]}], "marker_api": [{"key": 90, )"
      R"("value": "step"}]}, "kernel_symbols": [{"kernel_id": 5, "kernel_name": "_Z4gemm.kd", )"
      R"("formatted_kernel_name": "gemm.kd"}], "callback_records": {"counter_collection": []}, )"
      R"("buffer_records": {"kernel_dispatch": [)" +
      record(dispatch, 30, 34, 93) + ", " + record(dispatch, 10, 15, 91) + R"(], "hip_api": [)" +
      record(R"("kind": 1, "operation": 0)", 2, 3, 91) + ", " +
      record(R"("kind": 1, "operation": 1)", 3, 4, 92) + ", " +
      record(R"("kind": 1, "operation": 2)", 4, 5, 93) + R"(], "hsa_api": [], "marker_api": [)" +
      record(R"("kind": 4, "operation": 0)", 1, 9, 90) + R"(], "memory_copy": [)" +
      record(R"("kind": 3, "operation": 1, "dst_agent_id": {"handle": 102}, "src_agent_id": )"
             R"({"handle": 100}, "bytes": 4096)",
             20, 23, 92) +
      R"(], "memory_allocation": []}})");
}

std::string json(const std::string& processes) {
  return R"({"rocprofiler-sdk-tool": [)" + processes + "]}";
}

const std::string kernel_header =
    "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Stream_Id\",\"Thread_Id\",\"Dispatch_Id\",\"Kernel_Id\","
    "\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n";
const std::string call_header =
    "\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\",\"Start_Timestamp\","
    "\"End_Timestamp\"\n";
const std::string copy_header =
    "\"Kind\",\"Direction\",\"Source_Agent_Id\",\"Destination_Agent_Id\",\"Correlation_Id\","
    "\"Start_Timestamp\",\"End_Timestamp\"\n";

/// The run as files that begin with `prefix`.
void write_csvs(const Folder& folder, const std::string& prefix = "7_", int pid = 7) {
  folder.write(prefix + "kernel_trace.csv",
               kernel_header + "\"KERNEL_DISPATCH\",\"Agent 2\",1,0,7,1,5,\"gemm.kd\",91,10,15\n" +
                   "\"KERNEL_DISPATCH\",\"Agent 2\",1,0,7,2,5,\"gemm\",93,30,34\n");
  folder.write(prefix + "memory_copy_trace.csv",
               copy_header +
                   "\"MEMORY_COPY\",\"MEMORY_COPY_HOST_TO_DEVICE\",\"Agent 0\",\"Agent "
                   "2\",92,20,23\n");
  folder.write(prefix + "hip_api_trace.csv",
               call_header + fmt::format("\"HIP_RUNTIME_API\",\"hipLaunchKernel\",{0},{0},91,2,3\n"
                                         "\"HIP_RUNTIME_API\",\"hipMemcpyAsync\",{0},{0},92,3,4\n"
                                         "\"HIP_RUNTIME_API\",\"hipGraphLaunch\",{0},{0},93,4,5\n",
                                         pid));
  folder.write(prefix + "marker_api_trace.csv",
               call_header + fmt::format("\"MARKER_CORE_API\",\"step\",{0},{0},90,1,9\n", pid));
  folder.write(prefix + "agent_info.csv",
               "\"Node_Id\",\"Logical_Node_Id\",\"Agent_Type\",\"Logical_Node_Type_Id\",\"Product_"
               "Name\"\n0,0,\"CPU\",0,\"cpu\"\n1,1,\"CPU\",1,\"cpu\"\n2,2,\"GPU\",0,\"MI300X\"\n");
}

std::string with_two_processes() {
  return "[process 7]\n" + one_run + "[process 8]\n" + one_run.substr(0, one_run.find("1..9")) +
         "1..9 step 8/8\n";
}

}  // namespace

TEST_CASE("one run in all formats is one trace") {
  const Folder folder;
  CHECK(read(database(folder, rpd_tables + rpd_rows, "a.rpd")) == one_run);
  CHECK(read(database(folder, rocpd("_1", false), "b.db")) == one_run);
  CHECK(read(database(folder, rocpd("_1", true), "c.db")) == one_run);
  CHECK(read(folder.write("d.json", json(process_json()))) == one_run);
  const Folder csvs;
  write_csvs(csvs);
  CHECK(read(csvs.path("")) == one_run);
}

TEST_CASE("names of ranges alone, without a host trace") {
  const Folder folder;
  trace::OpenOptions options;
  options.host = trace::HostDetail::range_names;
  for (const std::string& path : {database(folder, rpd_tables + rpd_rows, "a.rpd"),
                                  database(folder, rocpd("_1", false), "b.db"),
                                  folder.write("d.json", json(process_json()))}) {
    const trace::Trace trace = trace::open_trace(path, options);
    CHECK(trace.host == nullptr);
    CHECK(trace.range_names == std::vector<std::string>{"step"});
  }
}

TEST_CASE("formats are known by their tables, packed or not") {
  const Folder folder;
  const auto format = [](const std::string& path) { return trace::open_trace(path).format; };
  const std::string rpd = database(folder, rpd_tables + rpd_rows, "a.sqlite");
  const std::string rocpd_path = database(folder, rocpd("_1", true), "b.sqlite");
  const auto packed = [&](const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    return folder.write("packed.gz", gzip(bytes));
  };
  CHECK(format(rpd) == "rpd");
  CHECK(format(packed(rpd)) == "rpd");
  CHECK(format(rocpd_path) == "rocpd");
  CHECK(format(packed(rocpd_path)) == "rocpd");
  CHECK(format(folder.write("d.json", json(process_json()))) == "rocprofv3-json");
  const Folder csvs;
  write_csvs(csvs);
  CHECK(format(csvs.path("")) == "rocprofv3-csv");
  CHECK(format(csvs.path("7_kernel_trace.csv")) == "rocprofv3-csv");
}

TEST_CASE("several processes of a file are members, never joined") {
  const Folder folder;
  for (const bool timestamps : {false, true}) {
    CHECK(read(database(folder, rocpd("_1", timestamps) + rocpd("_2", timestamps, 8),
                        timestamps ? "a.db" : "b.db")) == with_two_processes());
  }
  CHECK(read(folder.write("d.json", json(process_json() + ", " + process_json(8)))) ==
        with_two_processes());
  const Folder csvs;
  write_csvs(csvs);
  write_csvs(csvs, "8_", 8);
  CHECK(read(csvs.path("")) == with_two_processes());
}

TEST_CASE("of rocmProfileData, names come from descriptions or types, and barriers are no work") {
  const Folder folder;
  const std::string path = database(
      folder, rpd_tables +
                  "INSERT INTO rocpd_op VALUES (1, 2, 0, 1, 2, 99, 3), (2, 2, 0, 2, 3, 1, 12), "
                  "(3, 2, 0, 3, 4, 1, 13), (4, 2, '', 4, 5, 2, 3), (5, 2, 0, 5, 6, 99, 98), "
                  "(6, 2, 0, 7, 6, 2, 3);"
                  "INSERT INTO rocpd_api VALUES (1, 7, 7, 1, 2, 11, 1), (2, 7, 7, 9, 8, 7, 1), (3, "
                  "'', 7, 1, "
                  "2, 97, 1);");
  CHECK(read(path) ==
        "1 1 kernel 2 0 KernelExecution\n3 1 memset 2 0 FillBuffer\n4 1 kernel 2 0 gemm\n"
        "5 1 kernel 2 0 (unnamed kernel)\n6 0 kernel 2 0 gemm\n"
        "- 1 operation that is no work of a GPU: a barrier\n"
        "- 1 operation without a stream number: assigned to stream 0\n"
        "- 1 operation whose name is an id without a string\n"
        "- 1 call or range without a valid time\n"
        "- 1 call whose name is an id without a string\n"
        "- 1 call or range without a thread: assigned to thread 0\n"
        "! calls-of-tracer\n! implausible-times\n");
}

TEST_CASE("of rocmProfileData until 2022 and from 2026") {
  const Folder folder;
  CHECK(read(database(
            folder,
            rpd_tables + "CREATE TABLE rocpd_kernelop (op_ptr_id INTEGER PRIMARY KEY, "
                         "kernelName_id INTEGER);"
                         "INSERT INTO rocpd_kernelop VALUES (1, 2);"
                         "INSERT INTO rocpd_op VALUES (1, 0, 0, 1, 2, 1, 3), (2, 0, 0, 2, "
                         "3, 1, 5);",
            "old.rpd")) == "1 1 kernel 0 0 gemm\n2 1 memcpy 0 0 MEMORY_COPY_HOST_TO_DEVICE\n");
  CHECK(
      read(database(folder,
                    rpd_tables + "CREATE TABLE rocpd_ustring (id INTEGER PRIMARY KEY, string TEXT);"
                                 "INSERT INTO rocpd_ustring VALUES (10, 'of its own');"
                                 "INSERT INTO rocpd_op VALUES (1, 0, 0, 1, 2, 2, 3);"
                                 "INSERT INTO rocpd_api VALUES (1, 7, 7, 1, 9, 6, 10);",
                    "new.rpd")) == "1 1 kernel 0 0 gemm\n1..9 of its own 7/7\n");
}

TEST_CASE("clocks of rocmProfileData are stretches of time, of GPUs without operations") {
  const Folder folder;
  const trace::Trace trace = trace::open_trace(
      database(
          folder,
          rpd_tables + rpd_rows +
              "CREATE TABLE rocpd_monitor (id INTEGER PRIMARY KEY, deviceId INTEGER, monitorType "
              "TEXT, start INTEGER, end INTEGER, value TEXT);"
              "INSERT INTO rocpd_monitor VALUES (1, 0, 'sclk', 20, 40, '900'), (2, 0, 'sclk', 0, "
              "20, '300'), (3, 0, 'sclk', 40, 50, 'fast'), (4, 1, 'sclk', 0, 9, '100');"),
      everything());
  REQUIRE(trace.gpu_metrics);
  REQUIRE(trace.gpu_metrics->metrics.size() == 2);
  const trace::GpuMetric& metric = trace.gpu_metrics->metrics[0];
  CHECK(metric.name == "sclk [MHz]");
  CHECK(metric.unit == trace::MetricUnit::hz);
  CHECK(!metric.device);
  CHECK(metric.period_ns == 0);
  REQUIRE(metric.samples.size() == 2);
  CHECK(metric.samples[0].value == 300);
  CHECK(metric.ends[0] == 20);
  CHECK(metric.samples[1].time_ns == 20);
  CHECK(metric.ends[1] == 40);
  REQUIRE(trace.dropped.size() == 1);
  CHECK(trace.dropped[0].what == "sample of a GPU without a number, a time or a value");
}

TEST_CASE("tables that are missing, views, or without their columns") {
  const Folder folder;
  CHECK(read(database(folder,
                      "CREATE TABLE rocpd_op (id INTEGER PRIMARY KEY, start, end);"
                      "INSERT INTO rocpd_op VALUES (1, 1, 2);",
                      "a.rpd")) ==
        "1 1 kernel 0 0 (unnamed kernel)\n"
        "- 1 operation whose name is an id without a string\n");
  CHECK(read(database(folder, "CREATE TABLE rocpd_op (id INTEGER PRIMARY KEY, start);", "b.rpd")) ==
        "- 1 table of operations without its columns\n! no-gpu-work\n");
  CHECK(refused(database(folder, "CREATE TABLE x (start); CREATE VIEW rocpd_op AS SELECT * FROM x;",
                         "c.rpd")) ==
        ": its rocpd_op is a view or a virtual table: only tables are "
        "read; record it again with `runTracer.sh -o FILE.rpd`");
  CHECK(refused(database(folder,
                         rpd_tables + "INSERT INTO rocpd_op VALUES (4, 0, 0, 'now', 2, 2, 3);",
                         "d.rpd")) ==
        ": table rocpd_op, row 4: its start is missing or not a whole number; record it again with "
        "`runTracer.sh -o FILE.rpd`");
  CHECK(read(database(folder,
                      "CREATE TABLE rocpd_kernel_dispatch_1 (id INTEGER PRIMARY KEY, start, "
                      "end, kernel_id); INSERT INTO rocpd_kernel_dispatch_1 VALUES (1, 1, 2, "
                      "5);",
                      "e.db")) ==
        "1 1 kernel 0 0 (unnamed kernel 5)\n"
        "- 1 kernel name id without a string\n"
        "- 1 operation without a device number: assigned to device 0\n");
  CHECK(read(database(folder,
                      "CREATE TABLE rocpd_kernel_dispatch_1 (id INTEGER PRIMARY KEY, x);"
                      "CREATE TABLE rocpd_region_1 (id INTEGER PRIMARY KEY, start, end);",
                      "f.db")) ==
        "- 1 table rocpd_kernel_dispatch without its columns\n"
        "- 1 table rocpd_region without its columns\n! no-gpu-work\n");
  CHECK(refused(database(folder,
                         "CREATE TABLE x (start); CREATE VIEW rocpd_region AS SELECT * FROM "
                         "x;",
                         "g.db"))
            .starts_with(": is a rocpd database whose tables are views"));
  // A timestamp that is missing.
  CHECK(
      read(database(folder, rocpd("_1", true) + "DELETE FROM rocpd_timestamp_1 WHERE id IN (4, 8);",
                    "h.db"))
          .find(" 0 kernel 0 1 gemm < hipGraphLaunch\n") != std::string::npos);
  CHECK(refused(database(folder, "CREATE TABLE a (x); CREATE TABLE b (x);", "i.db")) ==
        ": is an SQLite database, but of no profiler that kr reads: its tables are a, b; export a "
        "report with `nsys export --type sqlite`");
}

TEST_CASE("databases that are damaged or cut off are refused or read in part") {
  const Folder folder;
  for (const std::string& sql : {rpd_tables + rpd_rows, rocpd("_1", true)}) {
    const std::string path = database(folder, sql, "whole.db");
    std::string bytes;
    {
      std::ifstream file(path, std::ios::binary);
      bytes.assign((std::istreambuf_iterator<char>(file)), {});
    }
    std::remove(path.c_str());
    trace::OpenOptions options = everything();
    for (const bool allow : {false, true}) {
      options.allow_truncated = allow;
      for (size_t size = 512; size < bytes.size(); size += 1777) {
        const std::string what = error_of(folder.write("cut.db", bytes.substr(0, size)), options);
        if (!allow) CHECK(!what.empty());
      }
      for (size_t at = 100; at < bytes.size(); at += 397) {
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
        error_of(folder.write("damaged.db", damaged), options);  // an Error or a trace, no crash
      }
    }
  }
}

TEST_CASE("members of the JSON may be in any order") {
  const Folder folder;
  std::string text = process_json();
  const size_t at = text.find("\"buffer_records\": {\"kernel");
  const std::string records = text.substr(at, text.size() - 1 - at);
  text = "{" + records + ", " + text.substr(1, at - 3) + "}";
  CHECK(read(folder.write("a.json", json(text))) == one_run);
}

TEST_CASE("details of the JSON: AMD counts threads, not thread blocks") {
  const Folder folder;
  trace::OpenOptions options;
  options.operation_details = true;
  const trace::Trace trace =
      trace::open_trace(folder.write("a.json", json(process_json())), options);
  REQUIRE(trace.details);
  const auto detail = [&](size_t i, trace::DetailField field) {
    return trace.details->of(i).get(field);
  };
  CHECK(detail(0, trace::DetailField::grid_x) == 3);
  CHECK(detail(0, trace::DetailField::grid_y) == 2);
  CHECK(detail(0, trace::DetailField::block_x) == 64);
  CHECK(detail(1, trace::DetailField::bytes) == 4096);
  CHECK(!detail(1, trace::DetailField::grid_x));
}

TEST_CASE("JSON that is cut off anywhere, of wrong types, or empty") {
  const Folder folder;
  const std::string text = json(process_json());
  trace::OpenOptions allow = everything();
  allow.allow_truncated = true;
  for (size_t size = 30; size < text.size(); ++size) {
    const std::string path = folder.write("cut.json", text.substr(0, size));
    CHECK(!error_of(path).empty());
    CHECK(error_of(path, allow).empty());
  }
  CHECK(read(folder.write("a.json", json(""))) == "! no-gpu-work\n");
  CHECK(read(folder.write("b.json", json("{}"))) == "! no-gpu-work\n");
  const std::string dispatch = R"("kind": 2, "dispatch_info": {"agent_id": {"handle": "x"}})";
  CHECK(read(folder.write(
            "c.json", json(R"({"strings": {"buffer_records": []}, "buffer_records": {)"
                           R"("kernel_dispatch": [)" +
                           record(dispatch, 1, 2, 3) +
                           R"(], "hip_api": [{"start_timestamp": null}], "scratch_memory": [{}],)"
                           R"("memory_copy": {"a": 1}}})"))) ==
        "1 1 kernel 0 0 (unnamed kernel 0)\n"
        "- 1 kernel name id without a string\n"
        "- 1 agent of operations that is not one of the GPUs: assigned to device 0\n"
        "- 1 call or range without a valid time\n"
        "! other-records\n");
  CHECK(refused(folder.write("d.json", json(R"({"buffer_records": {"kernel_dispatch": [)"
                                            R"({"start_timestamp": 1.5}]}})")))
            .find("is not a whole number") != std::string::npos);
  CHECK(!refused(folder.write("e.json", R"({"rocprofiler-sdk-tool": {}})")).empty());
}

TEST_CASE("CSVs are known by their columns") {
  const auto kind = [](const char* header) {
    const auto layout = trace::rocprof_layout(header);
    return layout ? trace::plural_of(layout->kind) : "-";
  };
  CHECK(kind(kernel_header.c_str()) == "kernels");
  CHECK(kind(copy_header.c_str()) == "copies");
  CHECK(kind(call_header.c_str()) == "calls");
  CHECK(kind("guid,domain,function,process_id,start_timestamp,end_timestamp\n") == "calls");
  CHECK(
      kind("Dispatch_Id,Kernel_Name,Counter_Name,Counter_Value,Start_Timestamp,End_Timestamp\n") ==
      "counters");
  CHECK(kind("Dispatch_Id,Counter_Name,Counter_Value\n") == "records without operations");
  CHECK(kind("start,end,name,correlation,device,stream\n") == "-");
  CHECK(kind("\"a\n") == "-");
  CHECK(trace::rocprof_prefix("run/1560_kernel_trace.csv.gz") == "1560");
  CHECK(trace::rocprof_prefix("rocm_run_memory_copy_trace.csv") == "rocm_run");
  CHECK(trace::rocprof_prefix("kernel_trace.csv") == "");
  CHECK(trace::rocprof_prefix("9_hip_runtime_api_trace.csv") == "9");
  CHECK(trace::rocprof_prefix("anything.csv") == "");
}

TEST_CASE("a dispatch counts once, however many counters it has") {
  const Folder folder;
  const std::string header =
      "Dispatch_Id,Agent_Id,Queue_Id,Kernel_Name,Counter_Name,Counter_Value,Start_Timestamp,End_"
      "Timestamp\n";
  std::string rows;
  for (const char* counter : {"SQ_WAVES", "GRBM_COUNT"}) {
    for (int i = 1; i <= 3; ++i) {
      rows += fmt::format("{},GPU 1,2,k{},{},9,{},{}\n", i, i, counter, 10 * i, 10 * i + i);
    }
  }
  CHECK(read(folder.write("counter_collection.csv", header + rows)) ==
        "10 1 kernel 1 2 k1\n20 2 kernel 1 2 k2\n30 3 kernel 1 2 k3\n! counters\n");
  // Beside the kernels themselves they are no more than these.
  folder.write("kernel_trace.csv", kernel_header + "KERNEL_DISPATCH,GPU 1,2,0,7,1,5,k1,91,10,11\n");
  CHECK(read(folder.path("")) == "10 1 kernel 1 2 k1\n! skipped-files\n");
}

TEST_CASE("processes of converted CSVs are told apart by their guid") {
  const Folder folder;
  folder.write("kernel_trace.csv", "Guid," + kernel_header +
                                       "aa,KERNEL_DISPATCH,0,1,0,7,1,5,k,91,10,15\n" +
                                       "bb,KERNEL_DISPATCH,0,1,0,8,1,5,k,91,11,15\n");
  folder.write("hip_api_trace.csv",
               "Guid," + call_header +
                   "aa,HIP_RUNTIME_API_EXT,hipLaunchKernel,7,7,91,1,2\n"
                   "bb,HIP_RUNTIME_API_EXT,hipModuleLaunchKernel,8,8,91,1,2\n");
  CHECK(read(folder.path("")) ==
        "[process aa]\n10 5 kernel 0 1 k < hipLaunchKernel\n"
        "[process bb]\n11 4 kernel 0 1 k < hipModuleLaunchKernel\n");
}

TEST_CASE("ranges of a process have thread 0, libraries have ranges, and a mark is empty") {
  const Folder folder;
  const std::string path =
      folder.write("marker_api_trace.csv",
                   call_header + "MARKER_CORE_API,whole,7,0,1,1,9\n" +
                       "MARKER_CORE_API,mark,7,7,2,5,5\nRCCL_API,ncclAllReduce,7,7,3,6,8\n" +
                       "MARKER_CORE_API,back,7,7,2,5,4\n");
  CHECK(read(path) ==
        "1..9 whole 7/\n5..5 mark 7/7\n6..8 ncclAllReduce 7/7\n"
        "- 1 call or range without a valid time\n! no-gpu-work\n");
}

TEST_CASE("CSVs with rows that cannot be") {
  const Folder folder;
  const std::string row = "KERNEL_DISPATCH,Agent 2,1,0,7,1,5,k,91,";
  CHECK(
      read(folder.write("a.csv", kernel_header + row + "10,15\n" + row + ",15\n" + row + "20,12\n" +
                                     "KERNEL_DISPATCH,?,?,0,7,1,5,,x,30,35\n")) ==
      "10 5 kernel 2 1 k\n10 0 kernel 2 1 k\n20 0 kernel 2 1 k\n30 5 kernel 0 0 (unnamed kernel)\n"
      "- 1 operation without a name\n"
      "- 1 operation without a device number: assigned to device 0\n"
      "- 1 operation without a stream number: assigned to stream 0\n"
      "- 1 correlation that is not a number\n"
      "! implausible-times\n");
  CHECK(
      refused(folder.write("b.csv", kernel_header + row + "now,15\n")) ==
      ":2: at byte 144: `Start_Timestamp` is not a number: `now`; correct this line, or export the "
      "file again");
  CHECK(!refused(folder.write("c.csv", kernel_header + row + "15\n")).empty());
  // Behind rows that were read.
  CHECK(!refused(folder.write("f.csv", kernel_header + row + "10,15\n" + row + "now,15\n"),
                 everything())
             .empty());
  trace::OpenOptions strict;
  strict.strict = true;
  CHECK(!refused(folder.write("d.csv", kernel_header + row + "20,15\n"), strict).empty());
  CHECK(
      refused(folder.write("e.csv", "Name,Calls,TotalDurationNs,AverageNs\n")) ==
      ": is a summary of rocprofv3 (`--stats`): it has no start times; read its kernel_trace.csv: "
      "`rocprofv3 --kernel-trace --output-format csv`");
}

TEST_CASE("names of AMD's profilers") {
  CHECK(trace::kernel_name_of_symbol("gemm.kd") == "gemm");
  CHECK(trace::kernel_name_of_symbol("gemm(int) [clone .kd]") == "gemm(int)");
  CHECK(trace::kernel_name_of_symbol("gemm") == "gemm");
  CHECK(trace::kind_of_rocm_type("Task", "gemm") == OperationKind::kernel);
  CHECK(trace::kind_of_rocm_type("KernelExecution", "__amd_rocclr_copyBuffer") ==
        OperationKind::memcpy);
  CHECK(trace::kind_of_rocm_type("Memset", "") == OperationKind::memset);
  CHECK(!trace::kind_of_rocm_type("BarrierPacket", ""));
  CHECK(trace::agent_number("Agent 12") == 12);
  CHECK(trace::agent_number("GPU 0") == 0);
  CHECK(trace::agent_number("7") == 7);
  CHECK(!trace::agent_number("CPU 0"));
  CHECK(trace::domain_of("HIPFILE_API") == trace::RocmDomain::library);
}

}  // namespace kr::test::rocm_test
