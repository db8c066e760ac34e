// The timeline and the tables of Ascend NPUs, and the events of MTIA and XPUs in Kineto's JSON.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "support.hpp"
#include "support/kineto_dump.hpp"
#include "trace/readers/json_pull.hpp"

namespace kr::test::ascend_test {
namespace {

trace::Trace read(const trace::TraceFormat& format, std::string_view text,
                  trace::OpenOptions options = {}) {
  trace::Input input(text, "t", options);
  trace::TraceBuilder builder("t", std::string(format.name));
  if (options.strict) builder.strict();
  format.read(input, builder);
  return std::move(builder).finish();
}

trace::Trace timeline(std::string_view text, const trace::OpenOptions& options = {}) {
  return read(trace::ascend_json_format, text, options);
}

trace::Trace table(std::string_view text, const trace::OpenOptions& options = {}) {
  return read(trace::ascend_csv_format, text, options);
}

template <class Read>
std::string fault(const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

std::string task(std::string_view name, std::string_view ts, std::string_view dur,
                 std::string_view args) {
  return fmt::format(
      R"({{"ph":"X","name":"{}","pid":801,"tid":3,"ts":"{}","dur":{},"args":{{{}}}}})", name, ts,
      dur, args);
}

const std::string processes = R"({"ph":"M","name":"process_name","pid":7,"args":{"name":"Python"}},
{"ph":"M","name":"process_name","pid":801,"tid":0,"args":{"name":"Ascend Hardware"}},
{"ph":"M","name":"process_name","pid":900,"args":{"name":"CANN"}},
{"ph":"M","name":"process_name","pid":901,"args":{"name":"Overlap Analysis"}})";

// A step with a module of two ops. What the first does is launched by its own thread, what the
// second does through a queue, while the program is behind the module.
const std::string host =
    R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#3","pid":7,"tid":7,
"ts":"1700000000000001.000","dur":100},
{"ph":"X","cat":"python_function","name":"nn.Module: Linear_0","pid":7,"tid":7,
"ts":"1700000000000002.000","dur":10},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":7,"tid":7,"ts":"1700000000000003.000","dur":3},
{"ph":"X","cat":"enqueue","name":"Enqueue","pid":7,"tid":7,"ts":"1700000000000008.000","dur":1,
"args":{"correlation_id":5}},
{"ph":"X","cat":"dequeue","name":"Dequeue@aclnnAdd","pid":7,"tid":8,"ts":"1700000000000020.000",
"dur":4,"args":{"correlation_id":"5"}},
{"ph":"X","name":"AscendCL@aclnnMm","pid":900,"tid":7,"ts":"1700000000000003.500","dur":2,"args":{}},
{"ph":"X","name":"AscendCL@inner","pid":900,"tid":7,"ts":"1700000000000004.000","dur":1,"args":{}},
{"ph":"X","name":"AscendCL@aclnnAdd","pid":900,"tid":8,"ts":"1700000000000021.000","dur":2},
{"ph":"s","cat":"HostToDevice","id":"38654705663","pid":900,"tid":7,"ts":"1700000000000004.500"},
{"ph":"s","cat":"HostToDevice","id":42949672959,"pid":900,"tid":8,"ts":"1700000000000021.000"},
{"ph":"s","cat":"async_npu","id":"1","pid":7,"tid":7,"ts":"1700000000000003.000"},
{"ph":"f","cat":"async_npu","id":"1","pid":801,"tid":3,"ts":"1700000000000005.000"},
{"ph":"s","cat":"async_npu","id":2,"pid":7,"tid":8,"ts":"1700000000000020.000"},
{"ph":"f","cat":"async_npu","id":2,"pid":801,"tid":3,"ts":"1700000000000030.000"})";

const std::string work =
    task("aclnnMm", "1700000000000005.000", "1.27012757357446",
         R"("Task Type":"AI_CORE","Stream Id":4,"connection_id":8)") +
    "," +
    task("aclnnAdd", "1700000000000030.000", "2",
         R"("Task Type":"Other","Physic Stream Id":4,"connection_id":9)") +
    "," + task("Memcpy", "1700000000000040.000", "1e0", R"("Task Type":"SDMA_SQE")") + "," +
    task("EVENT_WAIT", "1700000000000033.000", "4", R"("Task Type":"EVENT_WAIT","Stream Id":4)") +
    "," +
    R"({"ph":"X","name":"Computing","pid":901,"tid":0,"ts":"1700000000000005.000","dur":2},)" +
    R"({"ph":"C","name":"AI Core Freq","pid":902,"ts":"1700000000000005.000","args":{"MHz":"1800"}})";

}  // namespace

TEST_CASE("an Ascend timeline, with the names of its processes before and behind its events") {
  for (const std::string& text : {"[" + processes + "," + host + "," + work + "]",
                                  "[" + work + ",\n" + host + ", " + processes + "]"}) {
    for (const size_t block_size : {size_t{1}, size_t{64}, trace::JsonPull::usual_block}) {
      trace::OpenOptions options{.host = trace::HostDetail::all};
      options.block_size = block_size;
      const trace::Trace trace = timeline(text, options);
      CHECK(dump_kineto(trace) ==
            "1700000000000005000 1270 kernel `aclnnMm` 1/4  <- 1700000000000004000 1000 "
            "AscendCL@inner 7/7 > Linear_0 in ProfilerStep#3\n"
            "1700000000000030000 2000 kernel `aclnnAdd` 1/4  <- 1700000000000021000 2000 "
            "AscendCL@aclnnAdd 7/8\n"
            "1700000000000040000 1000 memcpy `Memcpy` 1/3 \n"
            "3 launches, 2 ranges, 1 orphans, 1 uncorrelated\n");
      CHECK(trace.dropped.empty());
      CHECK(trace.warnings.empty());
      CHECK(trace.clock.utc_ns == 0);
      CHECK(trace.host->creation(0) == nullptr);
      const trace::NodeCreation* const requested = trace.host->creation(1);
      REQUIRE(requested != nullptr);
      CHECK(requested->queued);
      CHECK(requested->time_ns == 1700000000000008000);
      const auto modules = trace.host->modules_at(requested->thread, requested->time_ns);
      REQUIRE(modules.size() == 1);
      CHECK(trace.host->range_names[trace.host->ranges[modules[0]].name] == "Linear_0");
    }
  }
}

TEST_CASE("what a timeline leaves unsaid, and what is not a time") {
  const auto all = [](const std::string& events) { return "[" + processes + "," + events + "]"; };
  const trace::Trace trace =
      timeline(all(R"({"ph":"X","pid":801,"tid":"x","ts":"1700000000000005.000","dur":1},)" +
                   task("none", "1700000000000006.000", "null", "") + "," +
                   task("negative", "1700000000000007.000", "-1", "") +
                   R"(,{"ph":"X","name":"?","pid":55,"ts":"1700000000000005.000","dur":1})"));
  CHECK(dump_kineto(trace) ==
        "1700000000000005000 1000 kernel `(unnamed operation)` 1/0 \n"
        "1700000000000006000 0 kernel `negative` 1/3 \n"
        "1700000000000006000 0 kernel `none` 1/3 \n");
  CHECK(trace.untimed.size() == 2);
  CHECK(dump_dropped(trace).find("event of a process that kr does not know") != std::string::npos);
  CHECK(dump_dropped(trace).find("operation without a name") != std::string::npos);
  CHECK(dump_dropped(trace).find("operation without a stream number") != std::string::npos);

  const auto why = [&](const std::string& events, const trace::OpenOptions& options = {}) {
    return fault([&] { timeline(all(events), options); });
  };
  CHECK(why(task("k", "abc", "1", "")).find("task `k`: `ts` is not a number: `abc`") !=
        std::string::npos);
  CHECK(why(task("k", "1700000000000007.000", "true", "")).find("`dur` is not a number") !=
        std::string::npos);
  trace::OpenOptions strict;
  strict.strict = true;
  CHECK(why(task("k", "1700000000000007.000", "-1", ""), strict).find("`dur` is negative") !=
        std::string::npos);
  CHECK(why("3").find("is not an event: events are objects") != std::string::npos);
  CHECK(timeline("[]").warnings.at(0).code == "unknown-layout");
  CHECK(timeline("[" + processes + "]").warnings.at(0).code == "no-gpu-work");
}

TEST_CASE("an Ascend timeline that is cut off, at each byte") {
  const std::string text = "[" + processes + "," + host + "," + work + "]";
  trace::OpenOptions part{.host = trace::HostDetail::all};
  part.allow_truncated = true;
  for (size_t size = 0; size < text.size(); ++size) {
    CAPTURE(size);
    const std::string_view head = std::string_view(text).substr(0, size);
    CHECK(!fault([&] { timeline(head); }).empty());
    const std::string allowed = fault([&] { CHECK(timeline(head, part).operations.size() <= 3); });
    CHECK((allowed.empty() || size == 0));
  }
}

TEST_CASE("values of other types in an Ascend timeline are no surprise") {
  for (const char* const value :
       {"null", "[]", "{}", "true", "\"x\"", "-1", "1e99", "[{\"a\":[1]}]"}) {
    for (const char* const key : {"name", "cat", "pid", "tid", "id", "ts", "dur", "args", "ph"}) {
      CAPTURE(key);
      CAPTURE(value);
      const std::string text = fmt::format(
          R"([{},{},{{"ph":"X","name":"k","pid":801,"tid":3,"ts":"1700000000000005.0","dur":1,"{}":{}}}])",
          processes, host, key, value);
      fault([&] { timeline(text, {.host = trace::HostDetail::all}); });
    }
    for (const char* const key :
         {"Task Type", "Stream Id", "connection_id", "correlation_id", "name"}) {
      const std::string text =
          fmt::format(R"([{},{}])", processes,
                      task("k", "1700000000000005.0", "1", fmt::format("\"{}\":{}", key, value)));
      CHECK(timeline(text).operations.size() == 1);
    }
  }
}

TEST_CASE("which lists of events are Ascend's") {
  const auto sniff = trace::ascend_json_format.sniff;
  CHECK(sniff(R"([{"ph": "X", "ts": "1704161511420306.491", "dur": 1}])"));
  CHECK(sniff(R"(  [ {"name":"process_name","args":{"name":"Ascend Hardware"}}])"));
  CHECK(!sniff(R"([{"ph": "X", "ts": 1704161511420306.491, "dur": 1}])"));
  CHECK(!sniff(R"([{"ph": "X", "ts": "12.5", "dur": 1}])"));
  CHECK(!sniff(R"([{"ph": "X", "ts": "1704161511420306", "dur": 1}])"));
  CHECK(!sniff(R"({"traceEvents": [{"ph": "X", "ts": "1704161511420306.491"}]})"));
  for (const char* const head : {"", "[", "[{", "[{\"ts\"", "[{\"ts\":", "[{\"ts\":\"17"}) {
    CHECK(!sniff(head));
  }
}

TEST_CASE("a table of Ascend by the names of its columns") {
  const std::string_view details =
      "Step Id,Model ID,Task ID,Stream ID,Name,Type,Accelerator Core,Start Time(us),Duration(us),"
      "Wait Time(us),Input Shapes\n"
      "1,4294967295,1,16,aclnnMm,MatMulV2,AI_CORE,\"1700000000000001.5\t\",2.5,0,\"\"\"1,2;"
      "3\"\"\"\n"
      "1,4294967295,1,16,aclnnMm,MatMulV2,AI_CORE,\"1700000000000001.5\t\",2.5,0,N/A\n"
      "1,4294967295,N/A,N/A,hcom_broadcast__1_0,hcom_broadcast_,HCCL,1700000000000003,10,0,N/A\n"
      "1,4294967295,2,16,wait,N/A,EVENT_WAIT,1700000000000004,10,0,N/A\n"
      "1,4294967295,3,16,copy,N/A,SDMA_SQE,1700000000000005,1,0,N/A\n";
  for (const size_t block_size : {size_t{16}, size_t{64}, size_t{1} << 18}) {
    trace::OpenOptions options;
    options.block_size = block_size;
    options.operation_details = true;
    const trace::Trace trace = table(details, options);
    CHECK(dump(trace) == dump(table(details)));
    CHECK(dump_kineto(trace) ==
          "1700000000000001500 2500 kernel `aclnnMm` 0/16 \n"
          "1700000000000001500 2500 kernel `aclnnMm` 0/16 \n"
          "1700000000000003000 10000 kernel `hcom_broadcast__1_0` 0/0 \n"
          "1700000000000005000 1000 memcpy `copy` 0/16 \n");
    CHECK(dump_dropped(trace).find("1 x operation without a stream number") == 0);
  }
  CHECK(dump_kineto(
            table("Device_id,Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us),"
                  "Task Wait Time(us)\r\n"
                  "2,k,MatMul,AI_CORE,\"12.001\t\",3,0\r\n")) == "12001 3000 kernel `k` 2/0 \n");
}

TEST_CASE("tables of Ascend that are wrong or cut off") {
  const std::string head = "Name,Type,Accelerator Core,Start Time(us),Duration(us)\n";
  const auto why = [&](std::string_view rows) {
    return fault([&] { table(head + std::string(rows)); });
  };
  CHECK(why("k,MatMul,AI_CORE,x,1\n").find("`Start Time(us)` is not a number: `x`") !=
        std::string::npos);
  CHECK(why("k,MatMul,AI_CORE,1\n").find("the row has 4 cells, but the header has 5") !=
        std::string::npos);
  CHECK(why("k,\"MatMul,AI_CORE,1,2\n").find("cut off") != std::string::npos);
  CHECK(dump_kineto(table(head + "k,MatMul,AI_CORE,1700000000000001,N/A\n")) ==
        "1700000000000001000 0 kernel `k` 0/0 \n");
  CHECK(table(head).warnings.at(0).code == "no-gpu-work");
  const auto sniff = trace::ascend_csv_format.sniff;
  CHECK(sniff(head));
  CHECK(!sniff(head.substr(0, head.size() - 1)));
  CHECK(!sniff("Start (ns),Duration (ns),Name\n"));
  CHECK(!sniff("Name,Type,Start Time(us),Duration(us)\n"));
  CHECK(!sniff("\n\"\n"));
  const std::string text = head + "a,MatMul,AI_CORE,1,2\nb,MatMul,AI_CORE,3,4\n";
  trace::OpenOptions part;
  part.allow_truncated = true;
  for (size_t size = head.size(); size < text.size(); ++size) {
    fault([&] { CHECK(table(text.substr(0, size), part).operations.size() <= 2); });
  }
}

TEST_CASE("MTIA: kernels and copies of its command processors, without waits, signals and queues") {
  const std::string event =
      R"({{"ph":"X","cat":"mtia_ccp_events","name":"{}","pid":17,"tid":3774,"ts":{},"dur":2,"args":{{{}}}}})";
  const auto one = [&](std::string_view name, int ts, std::string_view args) {
    return fmt::format(fmt::runtime(event), name, ts, args);
  };
  const std::string text =
      "[" + one("fc-dtype_Float", 10, R"("stream":108,"correlation":"1")") + "," +
      one("dma_request", 20, R"("direction":"HOST_TO_DEVICE","size":4096,"correlation":2)") + "," +
      one("dma_request", 30, "") + "," + one("event_wait", 40, R"("stream":108)") + "," +
      one("event_record", 50, "") +
      R"(,{"ph":"X","cat":"mtia_runtime","name":"runFunction","pid":8,"tid":9,"ts":1,"dur":1,)"
      R"("args":{"correlation":1,"device":17}},)"
      R"({"ph":"X","cat":"mtia_runtime","name":"copy","pid":8,"tid":9,"ts":3,"dur":1,)"
      R"("args":{"correlation":"2","device":"17"}},)"
      R"({"ph":"X","cat":"mtia_runtime","name":"synchronize","pid":17,"tid":3568,"ts":4,"dur":1,)"
      R"("args":{"correlation":2,"device":17}}])";
  trace::OpenOptions options;
  options.operation_details = true;
  const trace::Trace trace = read_kineto(text, options, false, trace::HostDetail::all);
  CHECK(dump_kineto(trace) ==
        "10000 2000 kernel `fc-dtype_Float` 17/108  <- 1000 1000 runFunction 8/9\n"
        "20000 2000 memcpy `dma_request HOST_TO_DEVICE` 17/3774  <- 3000 1000 copy 8/9\n"
        "30000 2000 memcpy `dma_request` 17/3774 \n"
        "2 launches, 0 ranges, 1 orphans, 1 uncorrelated\n");
  CHECK(trace.details->of(1).get(trace::DetailField::bytes) == 4096);
  CHECK(!trace.details->of(0).get(trace::DetailField::bytes));
  CHECK(!trace.details->of(2).get(trace::DetailField::bytes));
}

TEST_CASE("XPU: the queue is the stream") {
  CHECK(dump_kineto(read_kineto(R"([{"ph":"X","cat":"kernel","name":"gemm_kernel","pid":0,"tid":9,)"
                                R"("ts":1,"dur":1,"args":{"device":1,"sycl queue":3}}])")) ==
        "1000 1000 kernel `gemm_kernel` 1/3 \n");
}

}  // namespace kr::test::ascend_test
