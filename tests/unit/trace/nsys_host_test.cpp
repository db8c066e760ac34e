#include <doctest/doctest.h>
#include <fmt/format.h>

#include <set>

#include "base/sqlite.hpp"
#include "support.hpp"
#include "support/kineto_dump.hpp"

namespace kr::test::nsys_host_test {
namespace {

constexpr int64_t process = int64_t{1} << 56 | int64_t{77} << 24;  // globalPid
constexpr int64_t other = int64_t{1} << 56 | int64_t{78} << 24;

trace::Trace read(const Folder& folder, const std::string& sql) {
  const std::string path = folder.path("t.sqlite");
  sqlite::Database::write(path).execute(
      "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
      "INSERT INTO StringIds VALUES (1, 'k'), (2, 'cudaLaunchKernel_v7000'),"
      " (3, 'cuLaunchKernelEx'), (4, 'by id');" +
      sql);
  trace::OpenOptions options;
  options.host = trace::HostDetail::all;
  return trace::open_trace(path, options);
}

const std::string kernels =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, "
    "streamId INTEGER, demangledName INTEGER, correlationId INTEGER, globalPid INTEGER);";
const std::string calls =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, "
    "correlationId INTEGER, nameId INTEGER);";
const std::string ranges =
    "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, globalTid INTEGER, "
    "text TEXT, textId INTEGER, endGlobalTid INTEGER);";

std::string kernel(int64_t start, int64_t correlation, int64_t pid = process) {
  return fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({}, {}, 0, 7, 1, {}, {});",
                     start, start + 1, correlation, pid);
}
std::string call(int64_t start, int64_t correlation, int64_t tid, int name = 2) {
  return fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({}, {}, {}, {}, {});", start,
                     start + 2, tid, correlation, name);
}
std::string range(const std::string& values) {
  return "INSERT INTO NVTX_EVENTS VALUES (" + values + ");";
}

/// The texts of all ranges round each operation, the first begun first.
std::string around(const trace::Trace& trace) {
  const trace::HostTrace& host = *trace.host;
  std::vector<std::string> of_launch(host.launches.size());
  for (size_t i = 0; i < host.launches.size(); ++i) {
    for (const uint32_t range : enclosing(host, host.launches[i])) {
      of_launch[i] += " > " + host.range_names[host.ranges[range].name];
    }
  }
  std::string out;
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const uint32_t launch = host.launch_of[i];
    out += fmt::format("{}{}\n", trace.operations[i].start_ns,
                       launch == trace::HostRange::none ? " none" : of_launch[launch]);
  }
  return out;
}

}  // namespace

TEST_CASE("operations are joined to calls by correlation and process") {
  const Folder folder;
  const trace::Trace trace =
      read(folder, kernels + calls + kernel(100, 1) + kernel(110, 1, other) + kernel(120, 2) +
                       kernel(130, 3) + call(10, 1, process + 5) + call(20, 1, other + 6, 3) +
                       call(30, 2, other + 6) + call(40, 3, process + 9));
  CHECK(dump_kineto(trace) ==
        "100 1 kernel `k` 0/7 GPU <- 10 2 cudaLaunchKernel 4294967373/5\n"
        "110 1 kernel `k` 0/7 GPU <- 20 2 cuLaunchKernelEx 4294967374/6\n"
        "120 1 kernel `k` 0/7 GPU\n"
        "130 1 kernel `k` 0/7 GPU <- 40 2 cudaLaunchKernel 4294967373/9\n"
        "4 launches, 0 ranges, 1 orphans, 0 uncorrelated\n");
  REQUIRE(trace.host->calls.size() == 2);
  CHECK(trace.host->calls[0].name == "cuLaunchKernelEx");
  CHECK(trace.host->calls[0].driver);
  CHECK_FALSE(trace.host->calls[1].driver);
}

TEST_CASE("ranges hold the launches of their thread, or of their process where they move") {
  const Folder folder;
  const int64_t a = process + 5, b = process + 6;
  const trace::Trace trace =
      read(folder, kernels + calls + ranges + kernel(100, 1) + kernel(101, 2) + kernel(102, 3) +
                       kernel(103, 4) + kernel(104, 5, other) + kernel(105, 99) + call(10, 1, a) +
                       call(20, 2, b) + call(30, 3, a) + call(40, 4, b) + call(20, 5, other + 5) +
                       range(fmt::format("10, 30, 59, {}, 'pushed', NULL, NULL", a)) +
                       range(fmt::format("12, 40, 60, {}, NULL, 4, {}", a, b)) +
                       range(fmt::format("15, 31, 60, {}, 'stays', NULL, {}", a, a)) +
                       range(fmt::format("35, NULL, 70, {}, 'open', NULL, NULL", b)) +
                       range(fmt::format("20, 21, 71, {}, 'begins with the call', NULL, NULL", b)) +
                       range(fmt::format("1, 90, 34, {}, 'a mark', NULL, NULL", a)) +
                       range(fmt::format("-9, NULL, 75, {}, 'a domain', NULL, NULL", a)));
  CHECK(around(trace) ==
        "100 > pushed\n"
        "101 > by id > begins with the call\n"
        "102 > by id > stays\n"
        "103 > open\n"
        "104\n"
        "105 none\n");
  CHECK(trace.host->orphans == 1);
  CHECK(trace.dropped.empty());
}

TEST_CASE("names of ranges alone") {
  const Folder folder;
  read(folder,
       kernels + calls + ranges + kernel(100, 1) + range("1, 9, 59, 5, 'text', NULL, NULL") +
           range("2, 8, 59, 5, 'text', NULL, NULL") + range("3, 4, 60, 5, NULL, 4, 6") +
           range("5, NULL, 70, 5, NULL, 44, NULL") + range("1, 90, 34, 5, 'mark', NULL, 5"));
  trace::OpenOptions options;
  options.host = trace::HostDetail::range_names;
  const trace::Trace trace = trace::open_trace(folder.path("t.sqlite"), options);
  CHECK(std::set(trace.range_names.begin(), trace.range_names.end()) ==
        std::set<std::string>{"", "by id", "text"});
  CHECK(trace.host == nullptr);
  CHECK(trace.dropped.empty());
}

TEST_CASE("what the tables leave unsaid is counted, what cannot be is named") {
  const Folder folder;
  const trace::Trace trace = read(
      folder, kernels + calls + ranges + kernel(100, 1) +
                  fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, NULL, {}, 1, "
                              "55);",
                              process + 5) +
                  range(fmt::format("1, 90, 59, {}, NULL, 44, NULL", process + 5)) +
                  range(fmt::format("2, 90, 59, {}, NULL, NULL, NULL", process + 5)));
  CHECK(around(trace) == "100 >  > \n");
  CHECK(trace.host->calls[0].name == "(unnamed call 55)");
  CHECK(dump_dropped(trace) ==
        "1 x CUDA call with an open end at 1\n1 x CUDA call name id without a string at 1\n"
        "1 x NVTX text id without a string at 1\n");
}

TEST_CASE("rows of the host that cannot be are counted, and stop nothing") {
  const Folder folder;
  const auto bad_call = [](const char* values) {
    return fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({});", values);
  };
  const trace::Trace trace = read(
      folder, kernels + calls + ranges + kernel(100, 1) + call(10, 1, process + 5) +
                  bad_call("-9, 8, 5, 1, 2") + bad_call("9, 8, 5, 1, 2") +
                  bad_call("'x', 8, 5, 1, 2") + bad_call("9, 'x', 5, 1, 2") +
                  bad_call("NULL, 8, 5, 1, 2") + bad_call("20, 22, 5, 'x', 2") +
                  bad_call("21, 22, 'x', 2, x'00'") +
                  range(fmt::format("1, 90, 59, {}, 'whole', NULL, NULL", process + 5)) +
                  range("9, 8, 59, 5, 'a', NULL, NULL") + range("'x', 8, 60, 5, 'a', NULL, NULL") +
                  range("1, 'x', 60, 5, 'a', NULL, NULL") + range("1, 2, 'x', 5, 'a', NULL, NULL") +
                  range("1, 2, NULL, 5, 'a', NULL, NULL") + range("1, 2, 59, 5, NULL, 'x', NULL"));
  CHECK(around(trace) == "100 > whole\n");
  CHECK(trace.host->launches.size() == 3);
  CHECK(trace.host->ranges.size() == 2);
  CHECK(dump_dropped(trace) ==
        "5 x CUDA call without a valid time at 2\n"
        "1 x CUDA call whose correlation is not a number at 7\n"
        "1 x call or range without a thread number: assigned to thread 0 at 8\n"
        "3 x NVTX range without a valid time at 2\n"
        "2 x NVTX event whose type is not a number at 5\n"
        "1 x NVTX text id that is not a number at 7\n");
}

TEST_CASE("exports without calls, ranges or processes have what is left of a host trace") {
  const Folder folder;
  CHECK(around(read(folder, kernels + kernel(100, 1))) == "100 none\n");
  const Folder second;
  CHECK(around(read(second,
                    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, "
                    "demangledName INTEGER, correlationId INTEGER);"
                    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100, 101, 1, 3);" +
                        calls + ranges + call(10, 3, process + 5) +
                        range(fmt::format("1, 90, 59, {}, 'r', NULL, NULL", process + 5)))) ==
        "100 > r\n");
}

TEST_CASE("ranges keep their form and their domain") {
  const Folder folder;
  const int64_t a = process + 5, b = process + 6;
  const std::string domains =
      "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, globalTid INTEGER, "
      "text TEXT, textId INTEGER, endGlobalTid INTEGER, domainId INTEGER);";
  const trace::Trace trace = read(
      folder, kernels + calls + domains + kernel(100, 1) + call(10, 1, a) +
                  range(fmt::format("-7, NULL, 75, {}, 'NCCL', NULL, NULL, 1", a)) +
                  range(fmt::format("1, 20, 59, {}, NULL, 4, NULL, 0", a)) +
                  range(fmt::format("2, 21, 60, {}, NULL, 4, {}, 1", a, b)) +
                  range(fmt::format("3, 22, 71, {}, 'text', NULL, {}, 2", a, a)) +
                  range(fmt::format("4, 23, 70, {}, 'other process', NULL, NULL, 1", other + 1)) +
                  // What a domain is called may come last.
                  range(fmt::format("50, NULL, 75, {}, NULL, 4, NULL, 2", a)));
  const trace::HostTrace& host = *trace.host;
  std::string out;
  for (const trace::HostRange& range : host.ranges) {
    out += fmt::format("{} {} {} `{}` `{}`\n", range.start_ns,
                       range.form == trace::HostRange::Form::push_pop ? "push_pop" : "start_end",
                       host.threads[range.thread].whole_process ? "process" : "thread",
                       host.range_names[range.name], host.range_texts[range.name].domain);
  }
  CHECK(out ==
        "2 start_end process `by id` `NCCL`\n"
        "1 push_pop thread `by id` ``\n"
        "3 start_end thread `text` `by id`\n"
        "4 push_pop thread `other process` `(domain 1)`\n");
}

TEST_CASE("layer-wise ranges are modules") {
  const Folder folder;
  const int64_t a = process + 5, b = process + 6;
  const trace::Trace trace = read(
      folder,
      kernels + calls + ranges + kernel(100, 1) + kernel(101, 2) + call(10, 1, a) + call(20, 2, a) +
          range(fmt::format("1, 90, 59, {}, '{{''Module'': ''Llama''}}', NULL, NULL", a)) +
          range(fmt::format("2, 80, 59, {}, '{{''Module'': ''Llama.layers.0'', ''Inputs'': [[3, "
                            "4]]}}', NULL, NULL",
                            a)) +
          range(fmt::format("3, 70, 59, {}, 'aten::linear, op_id = 7', NULL, NULL", a)) +
          range(fmt::format("9, 15, 60, {}, '{{\"Module\": \"Llama.layers.0.mlp\"}}', NULL, {}", a,
                            a)) +
          // One that ends on another thread is no call of a module.
          range(fmt::format("4, 60, 60, {}, '{{''Module'': ''Moved''}}', NULL, {}", a, b)));
  const trace::HostTrace& host = *trace.host;
  const auto path = [&](size_t operation) {
    std::string out;
    const trace::Launch& launch = *host.launch(operation);
    uint32_t outer = trace::HostRange::none;
    for (const uint32_t range : host.modules_at(launch.thread, launch.start_ns)) {
      out += "/" + std::string(host.module_name(range, outer));
      outer = range;
    }
    return out;
  };
  CHECK(path(0) == "/Llama/layers.0/mlp");
  CHECK(path(1) == "/Llama/layers.0");
  const uint32_t inner = host.module_at(host.launch(1)->thread, 20);
  CHECK(host.range_texts[host.ranges[inner].name].text ==
        "{'Module': 'Llama.layers.0', 'Inputs': [[3, 4]]}");
  trace::OpenOptions options;
  options.host = trace::HostDetail::range_names;
  const trace::Trace names = trace::open_trace(folder.path("t.sqlite"), options);
  CHECK(std::set(names.range_names.begin(), names.range_names.end()) ==
        std::set<std::string>{"Llama", "Llama.layers.0", "Llama.layers.0.mlp",
                              "aten::linear, op_id = 7", "Moved"});
}

TEST_CASE("operations of graphs are joined to the creation of their nodes") {
  const Folder folder;
  const int64_t a = process + 5;
  const auto node_kernel = [](int64_t start, int64_t correlation, const char* node,
                              int64_t pid = process) {
    return fmt::format(
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({}, {}, 0, 7, 1, {}, {}, {});", start,
        start + 1, correlation, pid, node);
  };
  const auto event = [](int64_t start, int64_t tid, int64_t node, const char* original) {
    return fmt::format("INSERT INTO CUDA_GRAPH_NODE_EVENTS VALUES ({0}, {0}, {1}, {2}, {3});",
                       start, tid, node, original);
  };
  const trace::Trace trace = read(
      folder,
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, "
      "streamId INTEGER, demangledName INTEGER, correlationId INTEGER, globalPid INTEGER, "
      "graphNodeId INTEGER);"
      "CREATE TABLE CUDA_GRAPH_NODE_EVENTS (start INTEGER, end INTEGER, globalTid INTEGER, "
      "graphNodeId INTEGER, originalGraphNodeId INTEGER);" +
          calls + call(500, 9, a) + node_kernel(600, 9, "20") + node_kernel(601, 9, "21") +
          node_kernel(602, 9, "22") + node_kernel(603, 9, "23") + node_kernel(604, 9, "NULL") +
          node_kernel(605, 9, "0") + node_kernel(606, 9, "20", other) + node_kernel(607, 9, "24") +
          // Captured, and copied when the graph was made ready: the copy is announced first.
          event(10, a, 1, "NULL") + event(30, a, 20, "NULL") + event(31, a, 20, "1") +
          // A copy of a copy.
          event(12, a, 2, "NULL") + event(40, a, 15, "2") + event(41, a, 21, "15") +
          // Circles lead nowhere, and two origins are none.
          event(50, a, 22, "16") + event(51, a, 16, "22") + event(60, a, 23, "1") +
          event(61, a, 23, "2"));
  const trace::HostTrace& host = *trace.host;
  std::string out;
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const trace::NodeCreation* const creation = host.creation(i);
    out += creation == nullptr
               ? "- "
               : fmt::format("{}@{} ", creation->time_ns, host.threads[creation->thread].thread);
  }
  CHECK(out == "10@5 12@5 - - - - - - ");
  CHECK(dump_dropped(trace) ==
        "4 x operation of a CUDA graph whose node has no known creation at 0\n");
}

}  // namespace kr::test::nsys_host_test
