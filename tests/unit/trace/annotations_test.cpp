#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "trace/operation_places.hpp"
#include "trace/readers/kineto_annotations.hpp"
#include "unit/trace/support.hpp"

using namespace kr;
using namespace kr::trace;

namespace {

/// One kernel of a graph, with these arguments.
std::string graphed(std::string_view args, std::string_view head = "") {
  return fmt::format(R"({{{}"traceEvents":[)"
                     R"({{"ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch","pid":1,"tid":1,)"
                     R"("ts":1,"dur":1,"args":{{"correlation":5}}}},)"
                     R"({{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":10,"dur":2,)"
                     R"("args":{{"device":0,"correlation":5,"graph id":11,{}}}}}]}})",
                     head, args);
}

OpenOptions with_host() {
  OpenOptions options;
  options.host = HostDetail::all;
  return options;
}

/// The modules, then the annotations that enclose an operation.
std::string places_of(const Trace& trace, size_t operation) {
  const NodeCreation* const one = trace.host->creation(operation);
  if (one == nullptr) return "";
  std::string text;
  for (const auto kind : {HostRange::Kind::module, HostRange::Kind::annotation}) {
    for (const uint32_t range : trace.host->ranges_at(one->thread, one->time_ns, kind)) {
      text += trace.host->range_names[trace.host->ranges[range].name] + ';';
    }
  }
  return text;
}

Trace read(const test::Folder& folder, const std::string& json, OpenOptions options = with_host()) {
  return open_trace(folder.write("t.json", json), options);
}

}  // namespace

TEST_CASE("modules of a dotted path") {
  using Parts = std::vector<std::string_view>;
  CHECK(OperationPlaces::modules_of("layers.3.mlp.up") ==
        Parts{"layers.3", "layers.3.mlp", "layers.3.mlp.up"});
  CHECK(OperationPlaces::modules_of("output") == Parts{"output"});
  CHECK(OperationPlaces::modules_of("0.1") == Parts{"0.1"});
  CHECK(OperationPlaces::modules_of("").empty());
}

TEST_CASE("an annotated node of a graph is in its module, and on its stream") {
  const test::Folder folder;
  const std::string node = R"("graph node id":47244640257)";
  SUBCASE("inline, with lanes") {
    const Trace trace = read(folder, graphed(node + R"(,"stream":60,"original_stream":13,)"
                                                    R"("module_fqn":"layers.0.wq",)"
                                                    R"("autograd_phase":"backward")"));
    CHECK(trace.tracks[0].stream == 13);
    CHECK(places_of(trace, 0) == "layers.0;layers.0.wq;autograd_phase=backward;");
    CHECK(trace.lost_streams.empty());
  }
  SUBCASE("inline, without lanes: the later of two equal keys wins") {
    const Trace trace = read(folder, graphed(node + R"(,"stream":60,"name":"a","name":"b")",
                                             R"("cudaGraphInlineAnnotated":true,)"));
    CHECK(trace.tracks[0].stream == 7);
    CHECK(places_of(trace, 0) == "b;");
    CHECK(trace.lost_streams.empty());
  }
  SUBCASE("added to the file later: streams are lost") {
    const Trace trace = read(folder, graphed(node + R"(,"stream":60,"module_fqn":"head")"));
    CHECK(places_of(trace, 0) == "head;");
    CHECK(!trace.lost_streams.empty());
  }
  SUBCASE("a list as JSON text") {
    const Trace trace = read(folder, graphed(R"("graph node id":1,"annotation":)"
                                             R"("[{\"module_fqn\": \"a.0\"}, \"moe\"]")"));
    CHECK(places_of(trace, 0) == "a.0;moe;");
    CHECK(trace.tracks[0].stream == 7);
    CHECK(trace.lost_streams.empty());
  }
  SUBCASE("a list that is none") {
    const Trace trace = read(folder, graphed(R"("graph node id":1,"annotation":"[{")"));
    CHECK(places_of(trace, 0).empty());
    REQUIRE(trace.dropped.size() == 1);
    CHECK(trace.dropped[0].what.find("annotation") != std::string::npos);
  }
  SUBCASE("figures of the profiler are no annotations, and eager operations have none") {
    CHECK(places_of(read(folder, graphed(node + R"(,"copy kind":"DtoD","queued":0)")), 0).empty());
    CHECK(places_of(read(folder, graphed(R"("graph node id":0,"module_fqn":"head")")), 0).empty());
  }
}

TEST_CASE("annotations beside the trace") {
  const test::Folder folder;
  std::filesystem::create_directory(folder.path("step_1"));
  const std::string trace =
      folder.write("step_1/000003.1.pt.trace.json", graphed(R"("graph node id":1,"stream":7)"));
  const std::string other = folder.write("kernel_annotations_rank30_a.json", "{}");
  CHECK(open_trace(trace, with_host()).host->creations.empty());
  const std::string file = folder.write(
      "kernel_annotations_rank3_fwd.json",
      R"({"47244640257": [{"str": "loss", "module_fqn": "head"}, {"module_fqn": "head.0"}]})");
  CHECK(places_of(open_trace(trace, with_host()), 0) == "head.0;loss;");
  OpenOptions options = with_host();
  options.annotations = other;
  CHECK(places_of(open_trace(trace, options), 0).empty());
  options.annotations = folder.path("step_1");
  CHECK(test::error_of(trace, options).find("no annotations of this trace") != std::string::npos);
  options.annotations = folder.write("a.pkl", "");
  CHECK(test::error_of(trace, options).find("pickle") != std::string::npos);
  options.annotations = folder.write("b.json", R"({"x": []})");
  CHECK(test::error_of(trace, options).find("`x` is not the number") != std::string::npos);
  options.annotations = folder.write("c.json", R"({"1": )");
  CHECK(!test::error_of(trace, options).empty());
}

TEST_CASE("an annotated collective has its group and sizes") {
  const test::Folder folder;
  OpenOptions options = with_host();
  options.collectives = true;
  const Trace trace =
      read(folder,
           graphed(R"("graph node id":1,"name":"all_reduce","In msg nelems":"8","Group size":2,)"
                   R"("Process Group Name":"5","Process Group Ranks":[0, 1],"dtype":"bfloat16")"),
           options);
  REQUIRE(trace.collectives);
  REQUIRE(trace.collectives->operations.size() == 1);
  const CollectiveCall& call = trace.collectives->calls[0];
  CHECK(call.name == "all_reduce");
  CHECK(call.group == "5");
  CHECK(call.ranks == "[0, 1]");
  CHECK(call.in_elements == 8);
  CHECK(call.group_size == 2);
}
