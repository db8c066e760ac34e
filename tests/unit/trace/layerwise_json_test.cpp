// Layer-wise profiles that are as they should be.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support.hpp"
#include "support/layerwise_dump.hpp"

namespace kr::test::layerwise_json_test {
namespace {

const std::string_view nested = R"({
  "context": {
    "python_version": "3.12.3", "cuda_device": null, "graph": false, "sizes": [1, {"b": 2.50}, []],
    "engine_args": {"model": "meta-llama/Llama-3-8B", "tensor_parallel_size": 2, "x": {}},
    "batch_size": 8
  },
  "prefill": {
    "metadata": {"num_running_seqs": 8, "more": [1]},
    "summary_stats": [
      {
        "entry": {"name": "Llama", "cuda_time_us": 10.5, "pct_cuda_time": 70.0, "invocations": 1},
        "children": [
          {"entry": {"name": "gemm", "cuda_time_us": 7.25, "pct_cuda_time": NaN, "invocations": 64},
           "children": []},
          {"entry": {"name": "gemm", "cuda_time_us": 3.25, "invocations": 2}}
        ]
      },
      {"entry": {"name": "Sampler", "cuda_time_us": 4.5, "invocations": 1}, "children": null}
    ],
    "model_stats": [
      {"entry": {"name": "Llama", "cpu_time_us": 1, "cuda_time_us": 2e1, "pct_cuda_time": 1,
                 "trace": ""}, "children": []}
    ]
  },
  "decode_1": {"metadata": null, "summary_stats": [], "model_stats": []},
  "notes": {"summary": {"metadata": 5}}, "more": [{"summary_stats": 1}]
})";

}  // namespace

TEST_CASE("a profile is its steps and its context") {
  const trace::ModuleTrace trace = read_layerwise(nested);
  CHECK(dump_steps(trace) ==
        "prefill [8]\n"
        "  Llama 10500 1\n"
        "    gemm 7250 64\n"
        "    gemm 3250 2\n"
        "  Sampler 4500 1\n"
        "decode_1\n");
  CHECK(dump_context(trace) ==
        "python_version = 3.12.3\n"
        "graph = false\n"
        "sizes[0] = 1\n"
        "sizes[1].b = 2.50\n"
        "engine_args.model = meta-llama/Llama-3-8B\n"
        "engine_args.tensor_parallel_size = 2\n"
        "batch_size = 8\n");
  CHECK(trace.model_text == "meta-llama/Llama-3-8B");
  CHECK(trace.total_ns == 15000);
  CHECK(trace.warnings.empty());
  CHECK(trace.dropped.empty());
}

TEST_CASE("the table of single calls is read where it is asked for") {
  const trace::ModuleTrace trace = read_layerwise(nested, {.each_call = true, .block_size = 64});
  CHECK(dump_steps(trace) == "prefill [8]\n  Llama 20000 1\ndecode_1\n");
}

TEST_CASE("the flat context of older files") {
  const trace::ModuleTrace trace = read_layerwise(
      R"({"prefill": {"summary_stats": []},
          "context": {"model": "a", "served_model_name": ["b", "c"], "dtype": "auto"}})");
  CHECK(dump_context(trace) ==
        "model = a\nserved_model_name[0] = b\nserved_model_name[1] = c\ndtype = auto\n");
  CHECK(trace.model_text == "a b c");
}

TEST_CASE("keys stand in any order, entries behind children too") {
  const std::string_view sorted = R"({"s": {"summary_stats": [
    {"children": [{"children": [], "entry": {"invocations": 3, "cuda_time_us": 1, "name": "a"}},
                  {"entry": {"cuda_time_us": 2, "name": "b"},
                   "children": [{"entry": {"name": "c", "cuda_time_us": 1.5}}]},
                  {"children": null, "entry": {"name": "", "cuda_time_us": 0}}],
     "entry": {"cuda_time_us": 3.000, "name": "A"}},
    {"children": [], "entry": {"name": "B", "cuda_time_us": 4, "invocations": 32.0}}
  ], "metadata": {"num_running_seqs": 1}}})";
  for (const size_t block_size : {1, 7, 64, 100000}) {
    const trace::ModuleTrace trace = read_layerwise(sorted, {.block_size = block_size});
    CHECK(dump_steps(trace) ==
          "s [1]\n"
          "  A 3000 0\n"
          "    a 1000 3\n"
          "    b 2000 0\n"
          "      c 1500 0\n"
          "      (self) 500 0\n"
          "     0 0\n"
          "  B 4000 32\n");
  }
}

TEST_CASE("names are any bytes, with every escape") {
  const trace::ModuleTrace trace = read_layerwise(
      "\xef\xbb\xbf{\"s\": {\"summary_stats\": [{\"entry\": {\"name\": "
      "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\u00e9\\u20AC\\ud83d\\ude00\xff\xc3\xa9\x7f\","
      "\"cuda_time_us\": 0}}]}}");
  std::vector<trace::ModuleNode> nodes;
  trace.expand(0, nodes);
  REQUIRE(nodes.size() == 1);
  CHECK(trace.name(nodes[0].path) ==
        std::string_view("\"\\/\b\f\n\r\t\0\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xff\xc3\xa9\x7f",
                         22));
}

TEST_CASE("times are exact, whatever their spelling") {
  const auto time = [](const std::string& text) {
    const trace::ModuleTrace trace = read_layerwise(
        R"({"s": {"summary_stats": [{"entry": {"name": "k", "cuda_time_us": )" + text + "}}]}}");
    return trace.total_ns;
  };
  CHECK(time("11.263999999999998") == 11264);
  CHECK(time("0.0004") == 0);
  CHECK(time("0.0005") == 1);
  CHECK(time("1.2e-05") == 0);
  CHECK(time("5e-4") == 1);
  CHECK(time("-0.0") == 0);
  CHECK(time("1.2345E+3") == 1234500);
  CHECK(time("9223372036854775.807") == 9223372036854775807);
}

TEST_CASE("a profile without steps says so") {
  const trace::ModuleTrace trace = read_layerwise(R"({"context": {"model": "m"}, "prefill": {}})");
  CHECK(trace.steps.empty());
  REQUIRE(trace.warnings.size() == 1);
  CHECK(trace.warnings[0].text == "The profile contains no step: neither a prefill nor a decode.");
}

TEST_CASE("what is wrong in a member that is no step is passed over") {
  const trace::ModuleTrace trace = read_layerwise(
      R"({"a": {"metadata": 5, "x": 1, "x": 2}, "b": {"metadata": {"num_running_seqs": "x"}},
          "s": {"summary_stats": []}})");
  CHECK(dump_steps(trace) == "s\n");
}

TEST_CASE("a profile is told by its content and opened under any name") {
  const Folder folder;
  for (const std::string& bytes : {std::string(nested), gzip(nested), zstd(nested)}) {
    const trace::ModuleTrace trace =
        *std::move(trace::open_any(folder.write("run", bytes)).modules);
    CHECK(trace.format == "layerwise-json");
    CHECK(trace.steps.size() == 2);
  }
  CHECK(trace::layerwise_json_format.sniff(" {\"context\": {"));
  CHECK(trace::layerwise_json_format.sniff(
      "{\"x\": 1, \"decode_1\": {\"metadata\": {\"num_running_seqs\": 1},\n"
      "\"summary_stats\": [{"));
  CHECK(!trace::layerwise_json_format.sniff("{\"traceEvents\": [{\"name\": \"summary_stats\"}"));
  CHECK(!trace::layerwise_json_format.sniff("{\"schemaVersion\": 1, \"deviceProperties\": [{"));
  CHECK(!trace::layerwise_json_format.sniff("{\"x\": {\"y\": {\"summary_stats\": 1"));
  CHECK(!trace::layerwise_json_format.sniff("{\"x\": \"\\\"summary_stats\\\": {\""));
  CHECK(!trace::layerwise_json_format.sniff("{}"));
  CHECK(!trace::layerwise_json_format.sniff("[{\"summary_stats\": []}]"));
  CHECK(!trace::layerwise_json_format.sniff(""));
}

TEST_CASE("operations and module trees are told apart") {
  const Folder folder;
  const std::string trees = folder.write("trees.json", nested);
  CHECK(error_of(trees) == trees +
                               ": is layerwise-json, which contains module trees but no start "
                               "times of kernels; show it with `kr tree`");
  const std::string csv =
      folder.write("t.csv", "Start (ns),Duration (ns),Device,Strm,Name\n1,2,GPU (0),7,k\n");
  const trace::Opened opened = trace::open_any(csv);
  CHECK(opened.traces.size() == 1);
  CHECK(!opened.modules.has_value());
  CHECK(trace::contains_module_trees(trees));
  CHECK(!trace::contains_module_trees(csv));
}

}  // namespace kr::test::layerwise_json_test
