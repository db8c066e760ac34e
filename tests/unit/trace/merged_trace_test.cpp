// Traces of several ranks in one file, as SGLang merges them; and what kernels that communicate
// say.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support.hpp"

namespace kr::test::merged_trace_test {
namespace {

// The same pids, threads, devices, streams and correlations in both ranks. TP01 comes first.
std::string events(const std::string& member, int begin) {
  const auto event = [&](const char* category, const char* name, int ts, const char* pid,
                         const char* more) {
    return fmt::format(
        R"({{"ph":"X","cat":"{}","name":"{}","pid":"[{}] {}","tid":7,"ts":{},"dur":1{}}})",
        category, name, member, pid, begin + ts, more);
  };
  return event("cuda_runtime", "cudaLaunchKernel", 0, "55", R"(,"args":{"correlation":1})") + "," +
         event("user_annotation", "step", 0, "55", "") + "," +
         event("kernel", "k", 10, "0", R"(,"args":{"stream":7,"correlation":1})") + "," +
         event("kernel", "ncclKernel", 12, "0",
               R"(,"args":{"stream":7,"correlation":2,"Collective name":"allreduce","Seq":4,)"
               R"("Process Group Name":"0","Process Group Ranks":"[0, 1]","dtype":"Half",)"
               R"("In msg nelems":8,"Out msg nelems":8,"Group size":2})");
}

std::vector<trace::Trace> open(const std::string& text, const std::string& rank = {},
                               size_t window = 1 << 18) {
  const Folder folder;
  trace::OpenOptions options;
  options.host = trace::HostDetail::all;
  options.operation_details = true;
  options.collectives = true;
  options.rank = rank;
  options.block_size = window;
  return trace::open_traces(folder.write("m.json", text), options);
}

const std::string merged = R"({"traceEvents":[)" + events("TP01-DP00", 100) + "," +
                           events("TP00-DP00", 200) + R"(],"baseTimeNanoseconds":1000})";

}  // namespace

TEST_CASE("each rank of a merged trace is a trace of its own") {
  for (const size_t window : {1, 200, 1 << 18}) {
    CAPTURE(window);
    const std::vector<trace::Trace> traces = open(merged, {}, window);
    REQUIRE(traces.size() == 2);
    CHECK(traces[0].source.ends_with("m.json (TP00-DP00)"));
    CHECK(traces[0].distributed.member == "TP00-DP00");
    CHECK(traces[1].distributed.place.tensor == 1);
    CHECK(traces[1].distributed.place.data == 0);
    CHECK(!traces[1].distributed.rank);  // two numbers, of which neither is the rank
    for (const trace::Trace& trace : traces) {
      const int64_t begin = trace.distributed.place.tensor == 0 ? 200'000 : 100'000;
      REQUIRE(trace.operations.size() == 2);
      CHECK(trace.operations[0].start_ns == begin + 10'000);
      CHECK(trace.clock == trace::Clock{1000});
      REQUIRE(trace.tracks.size() == 1);
      CHECK(trace.tracks[0].device == 0);
      CHECK(trace.tracks[0].member.empty());
      REQUIRE(trace.host->launch(0) != nullptr);
      CHECK(trace.host->launch(0)->start_ns == begin);
      CHECK(trace.host->threads[trace.host->launch(0)->thread].process == "55");
      CHECK(trace.host->launch(1) == nullptr);
      CHECK(trace.host->orphans == 1);
      CHECK(trace.host->ranges.size() == 1);
      CHECK(trace.details->correlation_of[1] == 2);
      REQUIRE(trace.collectives->operations.size() == 1);
      CHECK(trace.collectives->operations[0].operation == 1);
      CHECK(trace.collectives->operations[0].sequence == 4);
      const trace::CollectiveCall& call = trace.collectives->calls[0];
      CHECK(call.name == "allreduce");
      CHECK(call.group == "0");
      CHECK(call.ranks == "[0, 1]");
      CHECK(call.type == "Half");
      CHECK(call.in_elements == 8);
      CHECK(call.group_size == 2);
      CHECK(!call.source_rank);
    }
  }
}

TEST_CASE("one rank of a merged trace") {
  CHECK(open(merged, "tp01-dp00").at(0).distributed.member == "TP01-DP00");
  const std::string one_number = R"([)" + events("TP3", 0) + "," + events("TP2", 50) + "]";
  CHECK(open(one_number, "3").at(0).distributed.member == "TP3");
  CHECK(open(one_number).at(0).distributed.rank == 2);
  const auto error = [](const std::string& text, const std::string& rank) {
    const Folder folder;
    trace::OpenOptions options;
    options.rank = rank;
    const std::string shown = error_of(folder.write("m.json", text), options);
    return shown.substr(std::min(shown.find("m.json"), shown.size()));
  };
  CHECK(error(merged, "9") == "m.json: has no rank `9`; its ranks are TP00-DP00, TP01-DP00");
  CHECK(error("[]", "0") ==
        "m.json: is not a merged trace of several ranks: there is no rank `0` to choose; leave out "
        "--rank");
  CHECK(error(merged, "") == "m.json: contains the traces of 2 ranks; choose one with --rank");
}

TEST_CASE("events of no rank in a merged trace") {
  const std::string call =
      R"({"ph":"X","cat":"cuda_runtime","name":"f","pid":9,"tid":7,"ts":1,"dur":1})";
  const std::vector<trace::Trace> two = open("[" + events("TP0", 0) + "," + call + "]");
  REQUIRE(two.size() == 1);
  REQUIRE(two[0].dropped.size() == 1);
  CHECK(two[0].dropped[0].what == "call or range of no rank");
  // With an operation they are a process of their own.
  const std::string kernel =
      R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":1})";
  const std::vector<trace::Trace> three =
      open("[" + events("TP0", 0) + "," + call + "," + kernel + "]");
  REQUIRE(three.size() == 2);
  CHECK(three[0].distributed.member.empty());
  CHECK(three[0].host->launches.size() == 1);
  CHECK(three[0].dropped.empty());
}

TEST_CASE("collectives are read only where they are wanted, and kept through the sort") {
  const Folder folder;
  const std::string path = folder.write("m.json", "[" + events("TP0", 0) + "]");
  CHECK(trace::open_trace(path).collectives == nullptr);
  trace::OpenOptions options;
  options.collectives = true;
  std::string reversed;
  for (int i = 9; i >= 0; --i) {
    reversed += fmt::format(
        R"({}{{"ph":"X","cat":"kernel","name":"n","pid":0,"tid":7,"ts":{},"dur":1,"args":{{)"
        R"("Collective name":"allgather","Seq":{}}}}})",
        reversed.empty() ? "" : ",", i, i);
  }
  const trace::Trace trace =
      trace::open_trace(folder.write("r.json", "[" + reversed + "]"), options);
  REQUIRE(trace.collectives->operations.size() == 10);
  for (size_t i = 0; i < 10; ++i) {
    CHECK(trace.collectives->operations[i].operation == i);
    CHECK(trace.collectives->operations[i].sequence == static_cast<int64_t>(i));
  }
  CHECK(trace.collectives->calls.size() == 1);
}

}  // namespace kr::test::merged_trace_test
