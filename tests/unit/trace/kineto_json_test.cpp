// The JSON of PyTorch's profiler: what is read of it, and what is said of what is wrong.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "support.hpp"
#include "support/kineto_dump.hpp"

namespace kr::test::kineto_json_test {
namespace {

const std::string kernel =
    R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1.5, "dur": 2.25,)"
    R"( "args": {"device": 3, "stream": 9, "correlation": 1}})";

std::string trace_of(const std::string& events) {
  return R"({"schemaVersion": 1, "traceEvents": [)" + events + R"(], "baseTimeNanoseconds": 7})";
}

std::string event(const std::string& members) {
  return R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, )" + members + "}";
}

// Of one event with these members.
std::string read_event(const std::string& members) {
  return dump_kineto(read_kineto(trace_of(event(members))));
}

std::string error_of_event(const std::string& members) {
  trace::OpenOptions options;
  options.strict = true;
  const std::string error = kineto_error(trace_of(kernel + "," + event(members)), options);
  const std::string head = fmt::format("t.json: at byte {}: traceEvents[1], ",
                                       trace_of("").find(']') + kernel.size() + 1);
  CHECK(error.starts_with(head));
  return error.substr(std::min(error.size(), head.size()),
                      error.find(';') - std::min(error.size(), head.size()));
}

}  // namespace

TEST_CASE("an event is read, metadata before and after it") {
  const std::string text =
      R"({"deviceProperties": [{"id": 3, "name": "GPU \u0033"}, {"id": 4}], "traceEvents": [)" +
      kernel + R"(], "displayTimeUnit": "ns"})";
  CHECK(dump_kineto(read_kineto(text)) == "1500 2250 kernel `k` 3/9 GPU 3\n");
  const std::string after =
      R"({"traceEvents": [)" + kernel + R"(], "deviceProperties": [{"name": "late", "id": 3}]})";
  CHECK(dump_kineto(read_kineto(after)) == "1500 2250 kernel `k` 3/9 late\n");
  CHECK(dump_kineto(read_kineto("\xef\xbb\xbf\n[" + kernel + "]\n")) ==
        "1500 2250 kernel `k` 3/9 \n");
}

TEST_CASE("categories of all years, whatever their case") {
  std::string events;
  int start = 0;
  for (const char* category : {"kernel", "Kernel", "gpu_memcpy", "Memcpy", "gpu_memset", "MEMSET",
                               "gpu_user_annotation", "cpu_op", "kernels", "Runtime"}) {
    if (!events.empty()) events += ",";
    events += R"({"ph":"X","cat":")" + std::string(category) + R"(","name":"n","ts":)" +
              std::to_string(++start) + R"(,"dur":1,"pid":2,"tid":"stream 13"})";
  }
  CHECK(dump_kineto(read_kineto(trace_of(events))) ==
        "1000 1000 kernel `n` 2/13 \n"
        "2000 1000 kernel `n` 2/13 \n"
        "3000 1000 memcpy `n` 2/13 \n"
        "4000 1000 memcpy `n` 2/13 \n"
        "5000 1000 memset `n` 2/13 \n"
        "6000 1000 memset `n` 2/13 \n");
}

TEST_CASE("copies and fills that a profiler calls kernels are told by their spelling") {
  const std::string rest = R"(","ts":1,"dur":1,"pid":0,"tid":0})";
  const std::string head = R"({"ph":"X","cat":"kernel","name":")";
  const std::string text =
      trace_of(head + "Memset (Device)" + rest + "," + head + "__amd_rocclr_copyBuffer" + rest);
  CHECK(dump_kineto(read_kineto(text)) ==
        "1000 1000 memset `Memset (Device)` 0/0 \n"
        "1000 1000 memcpy `__amd_rocclr_copyBuffer` 0/0 \n");
}

TEST_CASE("`args.gpu_operation` tells an operation, whatever its category and name") {
  const std::string rest = R"(,"ts":1,"dur":1,"pid":0,"tid":0,"args":{"gpu_operation":)";
  const std::string head = R"x({"ph":"X","cat":"user_annotation","name":"Memset (Device)")x";
  const std::string text =
      trace_of(head + rest + R"("kernel"}},)" + head + rest + R"("memcp\u0079"}},)" + head + rest +
               R"("work"}},)" + head + rest + R"(1}},)" + head + rest + R"("memset"}})");
  CHECK(dump_kineto(read_kineto(text)) ==
        "1000 1000 kernel `Memset (Device)` 0/0 \n"
        "1000 1000 memcpy `Memset (Device)` 0/0 \n"
        "1000 1000 memset `Memset (Device)` 0/0 \n");
}
TEST_CASE("times are exact") {
  const std::pair<std::string, std::string> cases[] = {
      {R"("ts": 1606910596297023, "dur": 13)", "1606910596297023000 13000"},
      {R"("ts": 1606910596297023.001, "dur": 0)", "1606910596297023001 0"},
      {R"("ts": 4203669603018.7564, "dur": 0.0005)", "4203669603018756 1"},
      {R"("ts": 1.2345678901234567891, "dur": 0.00049999999999999)", "1235 0"},
      {R"("ts": "12.5", "dur": "1e-3")", "12500 1"},
      {R"("ts": 1.5e3, "dur": 2E+0)", "1500000 2000"},
      {R"("ts": 9223372036854775.806, "dur": 0.001)", "9223372036854775806 1"},
      {R"("ts": 1, "ts": 2, "dur": 3)", "2000 3000"},
      {R"("\u0074s": 4, "dur": 3)", "4000 3000"},
  };
  for (const auto& [members, times] : cases) {
    const std::string text = members;  // clang 14 captures no structured binding
    CAPTURE(text);
    CHECK(read_event(members) == times + " kernel `k` 0/7 \n");
  }
}

TEST_CASE("an operation's time that is none is said with the event and its place") {
  CHECK(error_of_event(R"("dur": 1)") == "kernel `k`: `ts` is missing");
  CHECK(error_of_event(R"("ts": null, "dur": 1)") == "kernel `k`: `ts` is missing");
  CHECK(error_of_event(R"("ts": 1)") == "kernel `k`: `dur` is missing");
  CHECK(error_of_event(R"("ts": 1, "dur": -0.5)") == "kernel `k`: `dur` is negative: -0.5");
  CHECK(error_of_event(R"("ts": true, "dur": 1)") == "kernel `k`: `ts` is not a number: `true`");
  CHECK(error_of_event(R"("ts": NaN, "dur": 1)") == "kernel `k`: `ts` is not a number: `NaN`");
  CHECK(error_of_event(R"("ts": "1x", "dur": 1)") == "kernel `k`: `ts` is not a number: `1x`");
  CHECK(error_of_event(R"("ts": "", "dur": 1)") == "kernel `k`: `ts` is not a number: ``");
  CHECK(error_of_event(R"("ts": [1], "dur": 1)") == "kernel `k`: `ts` is not a number: ``");
  CHECK(error_of_event(R"("ts": 9223372036854775.808, "dur": 1)") ==
        "kernel `k`: `ts` does not fit in 64 bits of nanoseconds: 9223372036854775.808");
  CHECK(error_of_event(R"("ts": 9223372036854775.807, "dur": 1)") ==
        "kernel `k`: it ends beyond 64 bits of nanoseconds");
  CHECK(error_of_event(R"("name": 5, "ts": 1, "dur": 1)") == "kernel ``: `name` is not a string");
}

TEST_CASE("a time that cannot be right stops nothing, and counts no time") {
  const auto read = [](const std::string& members) {
    return dump_kineto(read_kineto(trace_of(kernel + "," + event(members))));
  };
  const std::string good = "1500 2250 kernel `k` 3/9 \n";
  // Without a start, at the begin of all; with one, where it says, but not behind all others.
  CHECK(read(R"("dur": 1)") == good + "1500 0 kernel `k` 0/7 \n");
  CHECK(read(R"("ts": -5, "dur": 1)") == good + "1500 0 kernel `k` 0/7 \n");
  CHECK(read(R"("ts": 2)") == good + "2000 0 kernel `k` 0/7 \n");
  CHECK(read(R"("ts": 2, "dur": -1)") == good + "2000 0 kernel `k` 0/7 \n");
  CHECK(read(R"("ts": 2, "dur": 18446744073709551.615)") == good + "2000 0 kernel `k` 0/7 \n");
  CHECK(read(R"("ts": 100, "dur": 7447680000000000.0)") == good + "3750 0 kernel `k` 0/7 \n");
  CHECK(read(R"("ts": 9223372036854775.807, "dur": 1)") == good + "3750 0 kernel `k` 0/7 \n");
  const trace::Trace trace = read_kineto(trace_of(kernel + "," + event(R"("ts": 2, "dur": -1)")));
  CHECK(trace.untimed == std::vector<uint32_t>{1});
  REQUIRE(trace.warnings.size() == 1);
  CHECK(trace.warnings[0].code == "implausible-times");
  CHECK(trace.warnings[0].text ==
        "1 of 2 operations have a time that cannot be right and count as instances without time: 1 "
        "with a negative start or duration. The first is kernel `k` on device 0, stream 7, with "
        "the start 2000 ns.");
}

TEST_CASE("a kernel that is there again with its metrics counts once") {
  const trace::Trace trace = read_kineto(trace_of(
      kernel + R"(,{"ph":"X","cat":"kernel","name":"metrics: k","ts":1.499,"dur":2.252,"pid":3,)"
               R"("tid":9,"args":{"kernel_id":1,"queue":"0x1","GpuTime::ns":2250}},)"
               R"({"ph":"X","cat":"kernel","name":"metrics: own","ts":9,"dur":1,"pid":3,"tid":9,)"
               R"("args":{"device":3,"stream":9}})"));
  CHECK(dump_kineto(trace) ==
        "1500 2250 kernel `k` 3/9 \n"
        "9000 1000 kernel `metrics: own` 3/9 \n");
  REQUIRE(trace.dropped.size() == 1);
  CHECK(trace.dropped[0].what == "kernel that is there again with its metrics");
}

TEST_CASE("what an event leaves unsaid is a loss") {
  const trace::Trace trace = read_kineto(
      trace_of(R"({"ph":"X","cat":"kernel","ts":1,"dur":1,"pid":"Spans","tid":"7"},)"
               R"({"ph":"B","cat":"kernel","ts":1,"pid":0,"tid":7},)"
               R"({"ph":"i","cat":"gpu_memcpy","ts":1,"pid":0,"tid":7},)"
               R"({"ph":"X","cat":"kernel","name":"k","ts":2,"dur":1,"pid":"1","tid":"main"})"));
  CHECK(dump_kineto(trace) ==
        "1000 1000 kernel `(unnamed operation)` 0/7 \n"
        "2000 1000 kernel `k` 1/0 \n");
  CHECK(dump_dropped(trace) ==
        "1 x operation without a name at 37\n"
        "1 x operation without a device number: assigned to device 0 at 37\n"
        "2 x GPU event of a phase other than X at 102\n"
        "1 x operation without a stream number: assigned to stream 0 at 204\n");
}

TEST_CASE("names are any bytes, of any length, with escapes undone") {
  const std::string bytes = "a\xff\xfe}]{[,\x7f";
  const std::string longest(5160, 'x');
  for (const auto& [written, meant] :
       {std::pair<std::string, std::string>{bytes, bytes},
        {longest, longest},
        {R"(q\"\\\/\n\u00e9\ud83d\ude00)", "q\"\\/\n\xc3\xa9\xf0\x9f\x98\x80"},
        {R"(\\)", "\\"},
        {R"(]}, \"}]\\)", "]}, \"}]\\"}}) {
    const std::string text = trace_of(R"({"ph":"X","cat":"kernel","name":")" + written +
                                      R"(","ts":1,"dur":1,"pid":0,"tid":0})");
    for (const size_t window : {1, 64, 100, 1 << 18}) {
      CHECK(dump_kineto(read_kineto(text, {.block_size = window})) ==
            "1000 1000 kernel `" + meant + "` 0/0 \n");
    }
  }
}

TEST_CASE("no GPU work is a result, and said") {
  for (const std::string text :
       {"[]", R"({"traceEvents": []})", R"([{"ph":"X","cat":"cpu_op"}])"}) {
    const trace::Trace trace = read_kineto(text);
    CHECK(trace.operations.empty());
    REQUIRE(trace.warnings.size() == 1);
    CHECK(trace.warnings[0].text.starts_with("The trace contains no GPU work: "));
  }
}

TEST_CASE("JSON that is not a trace is told so") {
  for (const std::string text : {"{}", R"({"a": {"traceEvents": []}})", R"([{"a": 1}])"}) {
    CAPTURE(text);
    CHECK(kineto_error(text).starts_with("t.json: is JSON, but not a trace: "));
  }
  CHECK(kineto_error(R"({"traceEvents": {}})")
            .starts_with("t.json: at byte 16: traceEvents is an object, not a list"));
  CHECK(kineto_error(R"({"traceEvents": [], "traceEvents": []})")
            .starts_with("t.json: at byte 20: traceEvents occurs twice"));
}

TEST_CASE("what is not JSON is found where it stands, whatever the windows") {
  const std::string many = kernel + "," + kernel + "," + kernel;
  struct Case {
    std::string item;
    size_t at;
    std::string said;
  };
  const Case cases[] = {
      {R"({"a": tru})", 6, "this is not JSON: a word"},
      {R"({"a": 01})", 7, "this is not JSON: a `,` or `}` is missing"},
      {R"({"a": [1, {"b": }]})", 16, "this is not JSON: a value is missing"},
      {R"({"a" 1})", 5, "this is not JSON: a `:` is missing"},
      {R"({"a": "\x"})", 7, "this is not JSON: a string contains an invalid escape"},
      {R"({"a": "\ud800"})", 7, "this is not JSON: a string contains half"},
      {R"({"a": 1]})", 7, "this is not JSON: a `,` or `}` is missing"},
      {R"({"a": 1}})", 8, "this is not JSON: a `,` or `]` is missing"},
      {R"({"a": 1} {"b": 2})", 9, "this is not JSON: a `,` or `]` is missing"},
      {R"({"a": 1},)", 9, "this is not JSON: a value is missing"},
      {R"({"a": 1},,{"b": 2})", 9, "this is not JSON: a value is missing"},
      {"5", 0, "traceEvents[3] is not an event: events are objects"},
      {"[{}]", 0, "traceEvents[3] is not an event: events are objects"},
  };
  for (const auto& [item, at, said] : cases) {
    std::string text = R"({"traceEvents": [)" + many + "," + item + "]}";
    const std::string shown = item;
    CAPTURE(shown);
    const std::string wanted =
        fmt::format("t.json: at byte {}: {}", text.find(many) + many.size() + 1 + at, said);
    for (const size_t window : {1, 70, 333, 1 << 18}) {
      for (const unsigned threads : {1U, 2U}) {
        const std::string error = kineto_error(text, {.block_size = window, .threads = threads});
        CHECK_MESSAGE(error.starts_with(wanted), error);
        CHECK(kineto_error(text, {.block_size = window, .threads = threads}, true) == error);
      }
    }
  }
  CHECK(kineto_error(trace_of(kernel) + "x").find("there is text after the end") !=
        std::string::npos);
}

TEST_CASE("a control byte in a string is not an error, and stays in the name") {
  const std::string text =
      trace_of("{\"name\": \"|||S(1): <\x01module>\", \"cat\": \"python_function\"}," + kernel +
               ",{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"a\tb\", " +
               R"("pid": 0, "tid": 7, "ts": 9, "dur": 1})");
  for (const size_t window : {1, 70, 1 << 18}) {
    CHECK(dump_kineto(read_kineto(text, {.block_size = window})) ==
          "1500 2250 kernel `k` 3/9 \n9000 1000 kernel `a\tb` 0/7 \n");
  }
  CHECK(kineto_error(trace_of("{\"a\": \"\\\n\"}")).find("invalid escape") != std::string::npos);
}

TEST_CASE("a layout that is not known is named, and not said to have no GPU work") {
  const std::string meta =
      R"({"ph": "M", "name": "process_name", "pid": 3, "args": {"name": "Ascend Hardware"}})";
  const std::string npu = R"({"ph": "X", "name": "MatMul", "pid": 3, "tid": 2, "ts": 1, "dur": 2})";
  const std::string op =
      R"({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 2, "ts": 1, "dur": 2})";
  const trace::Trace unknown = read_kineto(trace_of(meta + "," + op + "," + npu));
  REQUIRE(unknown.warnings.size() == 1);
  CHECK(unknown.warnings[0].code == "unknown-layout");
  CHECK(unknown.warnings[0].text ==
        "No operation was found in the 3 events, but this is not a layout that kr knows: GPU work "
        "has the category `kernel`, `gpu_memcpy` or `gpu_memset`. The file has categories: cpu_op; "
        "processes: Ascend Hardware; events without a category: 1.");
  const trace::Trace nothing = read_kineto(trace_of(op));
  REQUIRE(nothing.warnings.size() == 1);
  CHECK(nothing.warnings[0].code == "no-gpu-work");
}

TEST_CASE("calls of all runtimes launch operations") {
  for (const char* category :
       {"cuda_runtime", "cuda_driver", "xpu_runtime", "xpu_driver", "mtia_runtime", "glow_runtime",
        "privateuse1_runtime", "privateuse1_driver"}) {
    CAPTURE(category);
    const std::string call =
        fmt::format(R"({{"ph": "X", "cat": "{}", "name": "launch", "pid": 1, "tid": 2, "ts": 1, )"
                    R"("dur": 0.1, "args": {{"correlation": 1}}}})",
                    category);
    const trace::Trace trace =
        read_kineto(trace_of(call + "," + kernel), {}, false, trace::HostDetail::all);
    CHECK(trace.host->orphans == 0);
  }
}

TEST_CASE("a file that is cut off, at each byte") {
  const std::string text = R"({"deviceProperties": [{"id": 3, "name": "G"}], "traceEvents": [)" +
                           kernel + ", " + kernel + "],\n\"x\": {\"a\": \"b\"}}";
  const std::string whole = dump_kineto(read_kineto(text));
  for (size_t cut = 1; cut < text.size(); ++cut) {
    const std::string head = text.substr(0, cut);
    CAPTURE(head);
    for (const size_t window : {1, 64, 1 << 18}) {
      const std::string error = kineto_error(head, {.block_size = window});
      CHECK(error.starts_with(fmt::format("t.json: at byte {}: the file is cut off here", cut)));
      const trace::Trace trace = read_kineto(head, {.block_size = window}, true);
      CHECK(whole.starts_with(dump_kineto(trace)));
      REQUIRE(!trace.warnings.empty());
      CHECK(
          trace.warnings[0].text.starts_with(fmt::format("The file is cut off at byte {}: ", cut)));
      const size_t first = text.find(kernel) + kernel.size();
      const size_t second = text.rfind(kernel) + kernel.size();
      CHECK(trace.operations.size() == (cut >= first ? 1U : 0U) + (cut >= second ? 1U : 0U));
    }
  }
}

TEST_CASE("launches, modules and annotations, kept through the sort") {
  const std::string text = trace_of(
      R"({"ph":"X","cat":"python_function","name":"nn.Module: Outer_0","ts":0,"dur":100,"pid":1,"tid":"5"},)"
      R"({"ph":"X","cat":"python_function","name":"nn.Module: Inner_0","ts":10,"dur":20,"pid":1,"tid":5},)"
      R"({"ph":"X","cat":"python_function","name":"forward","ts":11,"dur":2,"pid":1,"tid":5},)"
      R"({"ph":"X","cat":"user_annotation","name":"step","ts":12,"dur":50,"pid":1,"tid":5},)"
      R"({"ph":"X","cat":"python_function","name":"nn.Module: Other","ts":0,"dur":100,"pid":1,"tid":6},)"
      R"({"ph":"X","cat":"kernel","name":"late","ts":300,"dur":1,"pid":0,"tid":7,"args":{"correlation":1}},)"
      R"({"ph":"X","cat":"kernel","name":"orphan","ts":250,"dur":1,"pid":0,"tid":7,"args":{"correlation":3}},)"
      R"({"ph":"X","cat":"kernel","name":"alone","ts":260,"dur":1,"pid":0,"tid":7},)"
      R"({"ph":"X","cat":"kernel","name":"early","ts":200,"dur":1,"pid":0,"tid":7,"args":{"correlation":"2"}},)"
      R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":30,"dur":2,"pid":1,"tid":5,"args":{"correlation":2}},)"
      R"({"ph":"X","cat":"cuda_driver","name":"cuLaunchKernel","ts":29.999,"dur":2,"pid":1,"tid":5,"args":{"correlation":1}})");
  for (const size_t window : {1, 200, 1 << 18}) {
    const trace::Trace trace =
        read_kineto(text, {.block_size = window}, false, trace::HostDetail::all);
    CHECK(dump_kineto(trace) ==
          "200000 1000 kernel `early` 0/7  <- 30000 2000 cudaLaunchKernel 1/5 > Outer_0 in step\n"
          "250000 1000 kernel `orphan` 0/7 \n"
          "260000 1000 kernel `alone` 0/7 \n"
          "300000 1000 kernel `late` 0/7  <- 29999 2000 cuLaunchKernel 1/5 > Outer_0 > Inner_0 in "
          "step\n"
          "2 launches, 4 ranges, 2 orphans, 1 uncorrelated\n");
    REQUIRE(trace.host != nullptr);
    CHECK(trace.host->calls[trace.host->launch(3)->call].driver);
    const uint32_t inner =
        trace.host->module_at(trace.host->launch(3)->thread, trace.host->launch(3)->start_ns);
    CHECK(trace.host->range_names[trace.host->ranges[inner].name] == "Inner_0");
    CHECK(
        trace.host->module_at(trace.host->launch(0)->thread, trace.host->launch(0)->start_ns) ==
        trace.host->modules_at(trace.host->launch(0)->thread, trace.host->launch(0)->start_ns)[0]);
  }
  CHECK(read_kineto(text).host == nullptr);
}

TEST_CASE("the rank of a distributed job, before the events or behind them") {
  const std::string events = R"("traceEvents": [)" + kernel + "]";
  const std::string info =
      R"("distributedInfo": {"backend": "nccl", "rank": 3, "pg_config": [{"rank": 7}], "world_size": 8})";
  for (const std::string& text :
       {"{" + info + ", " + events + "}", "{" + events + ", " + info + "}"}) {
    for (const size_t window : {1, 1 << 18}) {
      CHECK(read_kineto(text, {.block_size = window}).distributed ==
            trace::Distributed{3, 8, "nccl"});
    }
  }
  const auto told = [&](std::string_view what) {
    return read_kineto(fmt::format("{{\"distributedInfo\": {}, {}}}", what, events)).distributed;
  };
  CHECK(told("{}") == trace::Distributed{});
  CHECK(told("null") == trace::Distributed{});
  CHECK(told("[1]") == trace::Distributed{});
  CHECK(told(R"({"rank": -1, "world_size": 0})") == trace::Distributed{});
  CHECK(told(R"({"rank": 1.5, "world_size": "8", "backend": 1})") == trace::Distributed{});
  CHECK(read_kineto("[" + kernel + "]").distributed == trace::Distributed{});
}

TEST_CASE("the format is told by content, packed or not") {
  const Folder folder;
  const std::string long_head = R"({"metadata": {"a": ")" + std::string(9000, ' ') +
                                R"("}, "traceEvents": [)" + kernel + "]}";
  for (const std::string& text : {trace_of(kernel), "[" + kernel + "]", long_head}) {
    for (const std::string& bytes : {text, gzip(text), zstd(text)}) {
      const trace::Trace trace = trace::open_trace(folder.write("t", bytes));
      CHECK(trace.format == "kineto-json");
      CHECK(trace.operations.size() == 1);
    }
  }
  CHECK(trace::trace_stem("a/rank0.pt.trace.json.gz") == "rank0");
}

}  // namespace kr::test::kineto_json_test
