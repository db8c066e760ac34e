// Trees of traces that have paths of modules, and calls of modules with their classes.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "classify/attribution.hpp"
#include "support/rules.hpp"
#include "trace/format.hpp"
#include "trace/input.hpp"
#include "trees/labels.hpp"
#include "trees/names.hpp"

namespace {

using namespace kr;

/// Calls and kernels of a step without a graph, and the kernels of a launch of a graph.
class TwoSteps {
 public:
  void call(std::string_view name, int start, int duration) {
    add("python_function", fmt::format("nn.Module: {}", name), start, duration, "");
  }
  void eager(std::string_view kernel, int start) {
    const std::string link = fmt::format("\"correlation\":{}", ++last_);
    add("cuda_runtime", "cudaLaunchKernel", start, 1, link);
    add("kernel", kernel, start + 2, 2, link + R"(,"device":0,"stream":7)");
  }
  void replay(std::string_view kernel, std::string_view module) {
    const int start = 1000 + 10 * ++nodes_;
    const std::string path = fmt::format(R"(,"module_fqn":"{}")", module);
    add("kernel", kernel, start, 2,
        fmt::format(R"("correlation":9000,"device":0,"stream":7,"graph node id":{}{})", nodes_,
                    module.empty() ? "" : path));
  }
  /// PATH (CLASS) CALLS, for each place.
  std::string tree() {
    add("cuda_runtime", "cudaGraphLaunch", 1000, 1, "\"correlation\":9000");
    const std::string text =
        R"({"schemaVersion":1,"cudaGraphInlineAnnotated":true,"traceEvents":[)" +
        events_.substr(1) + "]}";
    trace::OpenOptions options;
    options.host = trace::HostDetail::all;
    trace::Input input(text, "t", options);
    trace::TraceBuilder builder("t", "kineto-json");
    trace::kineto_json_format.read(input, builder);
    const trace::Trace trace = std::move(builder).finish();
    const auto rules = test::compile("engine e { substage { all: otherwise } }");
    const auto attribution =
        classify::attribute(trace, rules.program(), rules.database, sema::ModelId{0});
    const trace::ModuleTrace tree = trees::modules_of(trace, attribution);
    std::vector<trace::ModuleNode> nodes;
    tree.expand(0, nodes);
    std::string out;
    for (const trace::ModuleNode& node : nodes) {
      const std::string_view of = tree.class_of(node.path);
      out += fmt::format("{}{} {}\n", trees::path_text(tree, node.path),
                         of.empty() ? "" : fmt::format(" ({})", of), node.invocations);
    }
    return out;
  }

 private:
  void add(std::string_view category, std::string_view name, int start, int duration,
           const std::string& args) {
    events_ += fmt::format(
        R"(,{{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":7,"ts":{},"dur":{},"args":{{{}}}}})",
        category, name, category == "kernel" ? 0 : 7, start, duration, args);
  }

  std::string events_;
  int last_ = 0;
  int nodes_ = 0;
};

/// Net_0: Embedding_0, Block_0 and Block_1 with two Linears each.
TwoSteps eager_step() {
  TwoSteps trace;
  trace.call("Net_0", 10, 500);
  trace.call("Embedding_0", 20, 20);
  trace.eager("gather", 21);
  for (int block = 0; block < 2; ++block) {
    const int start = 100 + 100 * block;
    trace.call(fmt::format("Block_{}", block), start, 90);
    for (int linear = 0; linear < 2; ++linear) {
      trace.call(fmt::format("Linear_{}", 2 * block + linear), start + 10 + 40 * linear, 30);
      trace.eager("gemm", start + 11 + 40 * linear);
    }
  }
  return trace;
}

}  // namespace

TEST_CASE("paths and calls of modules are one tree, with paths and classes") {
  TwoSteps trace = eager_step();
  for (const char* const module :
       {"embed", "layers.0.up", "layers.0.down", "layers.1.up", "layers.1.down", "layers.0.up"}) {
    trace.replay(module == std::string_view("embed") ? "gather" : "gemm", module);
  }
  trace.replay("adam", "");
  CHECK(trace.tree() ==
        "Net_0 2\n"
        "Net_0 > embed (Embedding) 2\n"
        "Net_0 > embed > gather 2\n"
        "Net_0 > layers.0 (Block) 2\n"
        "Net_0 > layers.0 > up (Linear) 2\n"
        "Net_0 > layers.0 > up > gemm 3\n"
        "Net_0 > layers.0 > down (Linear) 2\n"
        "Net_0 > layers.0 > down > gemm 2\n"
        "Net_0 > layers.1 (Block) 2\n"
        "Net_0 > layers.1 > up (Linear) 2\n"
        "Net_0 > layers.1 > up > gemm 2\n"
        "Net_0 > layers.1 > down (Linear) 2\n"
        "Net_0 > layers.1 > down > gemm 2\n"
        "adam 1\n");
}

TEST_CASE("modules whose numbers differ are not joined") {
  SUBCASE("more paths than calls") {
    TwoSteps trace = eager_step();
    for (const char* const module : {"embed", "layers.0.up", "layers.1.up", "norm"}) {
      trace.replay("gemm", module);
    }
    CHECK(trace.tree().find('(') == std::string::npos);
  }
  SUBCASE("as many, but other sizes: the order differs") {
    TwoSteps trace = eager_step();
    for (const char* const module :
         {"layers.0.up", "layers.0.down", "embed", "layers.1.up", "layers.1.down"}) {
      trace.replay("gemm", module);
    }
    CHECK(trace.tree().find('(') == std::string::npos);
  }
  SUBCASE("paths alone") {
    TwoSteps trace;
    trace.replay("gemm", "layers.0.up");
    CHECK(trace.tree() ==
          "layers.0 1\n"
          "layers.0 > up 1\n"
          "layers.0 > up > gemm 1\n");
  }
}

TEST_CASE("paths that differ in numbers alone have one class, or none") {
  TwoSteps trace;
  trace.call("Net_0", 10, 500);
  trace.call("Conv_0", 20, 20);
  trace.eager("conv", 21);
  trace.call("Linear_0", 60, 20);
  trace.eager("gemm", 61);
  trace.call("Head_0", 100, 20);
  trace.eager("head", 101);
  trace.replay("conv", "layers.0");
  trace.replay("gemm", "layers.1");
  trace.replay("head", "head");
  const std::string tree = trace.tree();
  CHECK(tree.find("head (Head) 2\n") != std::string::npos);
  CHECK(tree.find("layers.0 (") == std::string::npos);
}
