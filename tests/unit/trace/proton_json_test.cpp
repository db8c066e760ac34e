// Profiles of Proton: those that are as they should be, and each way one can be wrong.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "support.hpp"
#include "support/layerwise_dump.hpp"
#include "support/msgpack.hpp"

namespace kr::test::proton_json_test {
namespace {

trace::ModuleTrace read(std::string_view text, trace::OpenOptions options = {},
                        bool allow_truncated = false) {
  options.allow_truncated = allow_truncated;
  trace::Input input(text, "t.hatchet", options);
  trace::ModuleTraceBuilder builder("t.hatchet", "proton-json");
  trace::proton_json_format.read_modules(input, builder);
  return std::move(builder).finish();
}

std::string error_of(std::string_view text, const trace::OpenOptions& options = {},
                     bool allow_truncated = false) {
  try {
    read(text, options, allow_truncated);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

std::string dump_costs(const trace::ModuleTrace& trace) {
  std::vector<trace::ModuleNode> nodes;
  std::string out;
  for (const trace::NodeCost& one : trace.costs->nodes) {
    trace.expand(one.step, nodes);
    out += trace.name(nodes[one.node].path);
    for (size_t i = 0; i < trace::flop_widths; ++i) {
      if (one.flops[i]) out += fmt::format(" f{}={}", i, *one.flops[i]);
    }
    if (one.bytes) out += fmt::format(" b={}", *one.bytes);
    if (one.device != trace::NodeCost::no_device) out += fmt::format(" on {}", one.device);
    out += '\n';
  }
  return out;
}

const std::string_view small = R"json([
  {"children": [
     {"children": [
        {"children": [], "frame": {"name": "_Z3foov", "type": "function"},
         "metrics": {"count": 3, "device_id": "1", "device_type": "CUDA", "time (ns)": 1e3}}],
      "frame": {"name": "scope", "type": "function"},
      "metrics": {"bytes": 1509949440000, "flops16": 687194767360000.0, "flops8": 1e11}},
     {"frame": {"type": "function", "name": "kernel"}, "children": [
        {"metrics": {"time (ns)": 5, "count": 2.0}, "frame": {"name": "below"}, "children": null}],
      "metrics": {"time (ns)": 7, "count": 1, "flops": 2, "device_id": 0, "mine": "x"}}],
   "frame": {"name": "ROOT", "type": "function"}, "metrics": {"count": 0, "time (ns)": 0}},
  {"CUDA": {"0": {"arch": "90", "bus_width": 6144, "clock_rate": 1980000,
                  "memory_clock_rate": 1593000, "num_sms": 132, "more": []},
            "1": {"arch": 90, "bus_width": null}}}
])json";

}  // namespace

TEST_CASE("a Proton profile is one step of modules, costs and devices") {
  for (const size_t block_size : {size_t{1}, size_t{7}, size_t{64}, trace::JsonPull::usual_block}) {
    const trace::ModuleTrace trace = read(small, {.block_size = block_size});
    CHECK(dump_steps(trace) ==
          "profile\n"
          "  scope 1000 3\n"
          "    _Z3foov 1000 3\n"
          "  kernel 12 3\n"
          "    below 5 2\n"
          "    (self) 7 0\n");
    CHECK(dump_costs(trace) ==
          "scope f1=100000000000 f2=687194767360000 b=1509949440000\n"
          "_Z3foov on 1\n"
          "kernel f0=2 on 0\n");
    REQUIRE(trace.costs->devices.size() == 2);
    const trace::ProfiledDevice& first = trace.costs->devices[0];
    CHECK(first.type == "CUDA");
    CHECK(first.id == "0");
    CHECK(first.arch == "90");
    CHECK(first.sms == 132);
    CHECK(first.clock_khz == 1980000);
    CHECK(first.peak_bytes_per_s() == 2446848000000.0);
    CHECK(trace.costs->devices[1].arch == "90");
    CHECK(!trace.costs->devices[1].peak_bytes_per_s());
    CHECK(trace.costs->has_amounts);
    REQUIRE(trace.warnings.size() == 1);
    CHECK(trace.warnings[0].text == "1 metric of the profile is not read: `mine` of 1 node.");
  }
}

TEST_CASE("units of time, and spellings until 2024") {
  const auto total = [](const std::string& metrics) {
    return read(R"json([{"children": [{"frame": {"name": "k"}, "metrics": {)json" + metrics +
                R"json(}}], "frame": {"name": "ROOT"}}])json")
        .total_ns;
  };
  CHECK(total(R"json("time (ns)": 1500)json") == 1500);
  CHECK(total(R"json("Time (ns)": 1500, "Count": 1, "DeviceId": "0", "DeviceType": "HIP")json") ==
        1500);
  CHECK(total(R"json("time (us)": 1.5)json") == 1500);
  CHECK(total(R"json("time (ms)": 2e-3)json") == 2000);
  CHECK(total(R"json("time (s)": 1)json") == 1000000000);
  CHECK(total(R"json("time (ns)": 9223372036854775807)json") == INT64_MAX);
  CHECK(total(R"json("time (ns)": 9.2e18)json") == 9200000000000000000);
  CHECK(total(R"json("time (ns)": null)json") == 0);
}

TEST_CASE("roots other than that of Proton are modules, and so is that with something of its own") {
  const trace::ModuleTrace trace = read(R"json([
    {"frame": {"name": "main"}, "metrics": {"time (ns)": 1}},
    {"frame": {"name": "ROOT"}, "metrics": {"time (ns)": 2, "count": 1}},
    {"children": [{"frame": {"name": "x"}, "metrics": {"time (ns)": 4}}],
     "frame": {"name": "ROOT"},
     "metrics": {"bytes": 0, "flops16": 0, "count": 0, "time (ns)": 0}}, {}])json");
  CHECK(dump_steps(trace) == "profile\n  main 1 0\n  ROOT 2 1\n  x 4 0\n");
}

TEST_CASE("amounts that are none are unknown, and FLOPs count once") {
  const trace::ModuleTrace trace = read(R"json([{"children": [
    {"frame": {"name": "a"}, "metrics": {"time (ns)": 1, "flops": NaN, "bytes": -5}},
    {"frame": {"name": "b"}, "metrics": {"time (ns)": 1, "flops": 8, "flops16": 8}},
    {"frame": {"name": "c"}, "metrics": {"time (ns)": 1, "flops": -0.0, "bytes": 1e-400}},
    {"frame": {"name": "d"}, "metrics": {"time (ns)": 1, "flops": 1e-400}}],
   "frame": {"name": "ROOT"}}])json");
  CHECK(dump_costs(trace) == "b f2=8\nc f0=0 b=0\nd f0=0\n");
  REQUIRE(trace.dropped.size() == 2);
  CHECK(trace.dropped[0].count == 2);
  CHECK(trace.dropped[1].count == 1);
}

TEST_CASE("profiles without times") {
  const auto metrics = [](const std::string& text) {
    return R"json([{"children": [{"frame": {"name": "k"}, "metrics": {)json" + text +
           R"json(}}], "frame": {"name": "ROOT"}, "metrics": {}}, {}])json";
  };
  CHECK(error_of(metrics(R"json("cycles": 5, "normalized_cycles": 2.5)json")) ==
        "t.hatchet: is a Proton profile of cycles inside kernels (`cycles`), without the times of "
        "kernels; record them with the default backend: proton.start(NAME), without `backend` and "
        "`mode`; `proton-viewer` shows this file");
  CHECK(error_of(metrics(R"json("num_samples": 5)json")).find("samples of instructions") !=
        std::string::npos);
  REQUIRE(read(metrics("")).warnings.size() == 1);
  CHECK(read(metrics("")).warnings[0].text ==
        "No node of the profile has a time (`time (ns)`): no kernel ran while Proton recorded.");
  CHECK(read(R"json([{"children": [], "frame": {"name": "ROOT"}, "metrics": {}}, {}])json")
            .warnings[0]
            .text == "The profile contains no kernel and no scope.");
}

TEST_CASE("what is wrong in a Proton profile is named with byte and path") {
  struct Case {
    std::string node;     // `@` is where the mistake is, and is taken out
    std::string message;  // behind the place
  };
  const std::string node = "[0].children[1]";
  const std::string metrics = node + ".metrics";
  const Case cases[] = {
      {"@5", node + " is a number, not an object"},
      {"@{}", node + " has no `frame`"},
      {R"json({"frame": @{}})json", node + ".frame has no `name`"},
      {R"json({"frame": @7})json", node + ".frame is a number, not an object"},
      {R"json({"frame": {"name": @7}})json", node + ".frame.name is a number, not a string"},
      {R"json({"metrics": @[]})json", metrics + " is a list, not an object"},
      {R"json({"children": @{}})json", node + ".children is an object, not a list"},
      {R"json({"metrics": {"time (ns)": @"5"}})json",
       metrics + "[\"time (ns)\"] is a string, not a number"},
      {R"json({"metrics": {"time (ns)": @NaN}})json",
       metrics + "[\"time (ns)\"] is NaN, which is not a time"},
      {R"json({"metrics": {"time (ns)": @-1}})json", metrics + "[\"time (ns)\"] is negative: -1"},
      {R"json({"metrics": {"time (ns)": @1e19}})json",
       metrics + "[\"time (ns)\"] does not fit in 64 bits of nanoseconds: 1e19"},
      {R"json({"metrics": {"count": @1.5}})json", metrics + ".count is not a whole number: 1.5"},
      {R"json({"metrics": {"count": @-1}})json", metrics + ".count is negative: -1"},
      {R"json({"metrics": {"count": @Infinity}})json",
       metrics + ".count is Infinity, which is not a count"},
      {R"json({"metrics": {"count": @1e30}})json",
       metrics + ".count does not fit in 64 bits: 1e30"},
      {R"json({"metrics": {"bytes": @1e30}})json",
       metrics + ".bytes does not fit in 64 bits: 1e30"},
      {R"json({"metrics": {"bytes": @"1"}})json", metrics + ".bytes is a string, not a number"},
      {R"json({"metrics": {"flops8": @1e400}})json", metrics + ".flops8 is too large: 1e400"},
      {R"json({"metrics": {"device_id": @[]}})json",
       metrics + ".device_id is a list, not a string"},
      {R"json({"frame": {"name": "x"}, @"frame": {}})json", node + ".frame occurs twice"},
      {R"json({"metrics": {"count": 1, @"Count": 1}})json", metrics + ".Count occurs twice"},
      {R"json({"metrics": {"mine": 1, @"mine": 1}})json", metrics + ".mine occurs twice"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.node);
    std::string text =
        R"json([{"children": [{"frame": {"name": "a"}, "metrics": {"time (ns)": 1}}, )json" +
        c.node + R"json(], "frame": {"name": "ROOT"}}, {}])json";
    const size_t at = text.find('@');
    REQUIRE(at != std::string::npos);
    text.erase(at, 1);
    const std::string expected = fmt::format(
        "t.hatchet: at byte {}: {}; fix it there, or create the file again", at, c.message);
    for (const size_t block_size : {size_t{1}, size_t{5}, trace::JsonPull::usual_block}) {
      trace::OpenOptions options;
      options.strict = true;
      options.block_size = block_size;
      CHECK(error_of(text, options) == expected);
    }
  }
  CHECK(error_of(R"json([{"children": [
          {"frame": {"name": "a"}, "metrics": {"time (ns)": 9223372036854775807}},
          {"frame": {"name": "b"}, "metrics": {"time (ns)": 1}}], "frame": {"name": "r"}}])json") ==
        "t.hatchet: at byte 1: the sum of times in nanoseconds does not fit in 64 bits; fix it "
        "there, or create the file again");
  CHECK(error_of(R"json([{"frame": {"name": "r"}}, {"CUDA": {"0": {"bus_width": -1}}}])json")
            .find("[1].CUDA.0.bus_width is negative: -1") != std::string::npos);
  CHECK(error_of("[{\"children\": [{" + std::string(40000, '[')).find("at byte") !=
        std::string::npos);
}

TEST_CASE("a node whose time cannot be right has none, and is counted") {
  for (const char* time : {"-1", "1e19"}) {
    CAPTURE(time);
    const trace::ModuleTrace trace = read(
        R"json([{"frame": {"name": "r"}, "children": [{"frame": {"name": "a"}, "metrics": {"time (ns)": )json" +
        std::string(time) +
        R"json(}}, {"frame": {"name": "b"}, "metrics": {"time (ns)": 7}}]}])json");
    CHECK(trace.total_ns == 7);
    REQUIRE(trace.dropped.size() == 1);
    CHECK(trace.dropped[0].what ==
          "times that are negative or too large: the node itself has no time");
  }
}

TEST_CASE("trees are as deep as JSON may be") {
  std::string text = "[";
  for (int i = 0; i < 4990; ++i) text += R"json({"children":[)json";
  text += R"json({"frame":{"name":"k"},"metrics":{"time (ns)":1}})json";
  for (int i = 0; i < 4990; ++i) text += R"json(],"frame":{"name":"s"}})json";
  text += "]";
  CHECK(read(text).total_ns == 1);
}

TEST_CASE("of a file that is cut off the complete parts are kept") {
  const std::string text(small);
  CHECK(error_of(text.substr(0, 300)).find("the file is cut off here") != std::string::npos);
  // Behind the first kernel.
  const size_t at = text.find("scope");
  const trace::ModuleTrace trace = read(text.substr(0, at), {}, true);
  CHECK(dump_steps(trace) == "profile\n  (incomplete) 1000 3\n    _Z3foov 1000 3\n");
  REQUIRE(!trace.warnings.empty());
  CHECK(trace.warnings[0].text ==
        fmt::format("The file is cut off at byte {}: of what has no end there, the complete parts "
                    "are kept, below nodes that may be named `(incomplete)`.",
                    at));
  // The tree is whole, the devices are not.
  const trace::ModuleTrace whole = read(text.substr(0, text.find("num_sms")), {}, true);
  CHECK(dump_steps(whole) == dump_steps(read(small)));
  // Wherever it is cut off, nothing is read that the whole does not have.
  for (size_t end = 1; end < text.size(); ++end) {
    CHECK(read(text.substr(0, end), {.block_size = 16}, true).total_ns <= 1012);
  }
}

TEST_CASE("what was captured is in the modules of the capture, a step for each replay") {
  const std::string_view text = R"json([{"frame": {"name": "ROOT"}, "children": [
    {"frame": {"name": "step_0"}, "children": [
      {"frame": {"name": "eager"}, "metrics": {"time (ns)": 1, "count": 1}},
      {"frame": {"name": "__proton_launch_metadata"}, "children": [
        {"frame": {"name": "sum"}, "metrics": {"time (ns)": 2, "count": 1}}]},
      {"frame": {"name": "replay"}, "children": [
        {"frame": {"name": "<captured_at>"}, "children": [
          {"frame": {"name": "model"}, "children": [
            {"frame": {"name": "<metric>"}, "metrics": {"time (ns)": 4, "count": 1}},
            {"frame": {"name": "k"}, "metrics": {"time (ns)": 8, "count": 2, "bytes": 5}}]}]}]}]},
    {"frame": {"name": "step_1"}, "children": [
      {"frame": {"name": "<captured_at>"}, "metrics": {"time (ns)": 16, "count": 1}, "children": [
        {"frame": {"name": "outer"}, "children": [
          {"frame": {"name": "<captured_at>"}, "children": [
            {"frame": {"name": "k"}, "metrics": {"time (ns)": 32, "count": 1}}]}]}]}]},
    {"frame": {"name": "<captured_at>"}, "children": [
      {"frame": {"name": "k"}, "metrics": {"time (ns)": 64, "count": 1}}]}]}])json";
  const trace::ModuleTrace trace = read(text);
  CHECK(dump_steps(trace) ==
        "profile\n"
        "  step_0 1 1\n"
        "    eager 1 1\n"
        "step_0 > replay\n"
        "  model 8 2\n"
        "    k 8 2\n"
        "step_1\n"
        "  <captured_at> 16 1\n"
        "step_1 > outer\n"
        "  k 32 1\n"
        "replay\n"
        "  k 64 1\n"
        "profiler\n"
        "  step_0 2 1\n"
        "    __proton_launch_metadata 2 1\n"
        "      sum 2 1\n"
        "  model 4 1\n"
        "    <metric> 4 1\n");
  CHECK(trace.total_ns == 127);
  CHECK(dump_costs(trace) == "k b=5\n");
  // Where all was captured, there is nothing else.
  const size_t steps = read(R"json([{"frame": {"name": "ROOT"}, "children": [
    {"frame": {"name": "a"}, "children": [{"frame": {"name": "<captured_at>"}, "children": [
      {"frame": {"name": "k"}, "metrics": {"time (ns)": 1}}]}]}]}])json")
                           .steps.size();
  CHECK(steps == 1);
}

TEST_CASE("the same profile in MessagePack") {
  const auto packed = [](std::string_view text, trace::OpenOptions options = {}) {
    trace::Input input(text, "t.hatchet_msgpack", options);
    trace::ModuleTraceBuilder builder("t.hatchet_msgpack", "proton-msgpack");
    trace::proton_msgpack_format.read_modules(input, builder);
    return std::move(builder).finish();
  };
  const trace::ModuleTrace expected = read(small);
  for (const bool wide : {false, true}) {
    const std::string bytes = msgpack_of(parse_json(small, "t"), wide);
    CHECK(trace::proton_msgpack_format.sniff(bytes));
    CHECK(!trace::proton_json_format.sniff(bytes));
    for (const size_t block_size : {size_t{1}, size_t{7}, trace::JsonPull::usual_block}) {
      const trace::ModuleTrace trace = packed(bytes, {.block_size = block_size});
      CHECK(dump_steps(trace) == dump_steps(expected));
      CHECK(dump_costs(trace) == dump_costs(expected));
      CHECK(trace.costs->devices[0].sms == 132);
      CHECK(trace.warnings[0].text == expected.warnings[0].text);
    }
    for (size_t end = 1; end < bytes.size(); ++end) {
      const std::string_view part = std::string_view(bytes).substr(0, end);
      const trace::ModuleTrace trace = packed(part, {.allow_truncated = true, .block_size = 16});
      CHECK(trace.total_ns <= expected.total_ns);
      CHECK(trace.warnings[0].code == "truncated");
    }
  }
  CHECK(!trace::proton_msgpack_format.sniff(small));
  CHECK(!trace::proton_msgpack_format.sniff("\x92\x01\x02"));
  CHECK(
      !trace::proton_msgpack_format.sniff("\x91\x81\xa5"
                                          "frame"
                                          "\x05"));
}

TEST_CASE("phases of a session in a folder are one profile") {
  const auto one = [](std::string_view kernel, int ns) {
    return fmt::format(
        R"json([{{"frame": {{"name": "ROOT"}}, "children": [{{"frame": {{"name": "{}"}},
          "metrics": {{"time (ns)": {}, "device_id": "1"}}}}]}}, {{"CUDA": {{"0": {{}}, "1": {{}}}}}}])json",
        kernel, ns);
  };
  const Folder folder;
  folder.write("run.part_10.hatchet", one("c", 100));
  folder.write("run.part_2.hatchet", one("b", 10));
  folder.write("run.hatchet", one("a", 1));
  const auto modules = *trace::open_any(folder.path("")).modules;
  CHECK(dump_steps(modules) == "profile_0\n  a 1 0\nprofile_2\n  b 10 0\nprofile_10\n  c 100 0\n");
  CHECK(modules.costs->devices.size() == 2);
  CHECK(dump_costs(modules) == "a on 1\nb on 1\nc on 1\n");
  CHECK(trace::traces_in_folder(folder.path("")).empty());
  // With another profile beside them, each file is by itself.
  folder.write("other.part_2.hatchet", one("d", 1));
  CHECK(trace::traces_in_folder(folder.path("")).size() == 4);
}

TEST_CASE("which files are Proton profiles") {
  const auto sniff = trace::proton_json_format.sniff;
  CHECK(sniff(small));
  CHECK(sniff(small.substr(0, 60)));
  CHECK(sniff(R"json([{"frame": {"name": "ROOT"}}])json"));
  CHECK(sniff(R"json([{"metrics": {}, "children": [], "frame": {)json"));
  CHECK(sniff("[{\"children\": [{\"children\": [{\"children\": ["));
  CHECK(!sniff("[]"));
  CHECK(!sniff("[{}]"));
  CHECK(!sniff(""));
  CHECK(!sniff(R"json([{"ph": "X", "name": "k", "ts": 1}])json"));
  CHECK(!sniff(R"json([{"name": "k", "args": {"frame": {}}, "children": 5}])json"));
  CHECK(!sniff(R"json([{"frame": 5, "ph": "X"}])json"));
  CHECK(!sniff(R"json([{"children": [5]}])json"));
  CHECK(!sniff(R"json([{"children": []}])json"));
  CHECK(!sniff(R"json({"children": []})json"));
}

}  // namespace kr::test::proton_json_test
