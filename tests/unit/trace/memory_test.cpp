// Memory and counters of GPUs, in Kineto traces and nsys exports.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "base/sqlite.hpp"
#include "support.hpp"
#include "trace/reduce.hpp"

namespace kr::test::memory_test {
namespace {

trace::OpenOptions all_options() {
  trace::OpenOptions options;
  options.memory = options.gpu_metrics = true;
  options.host = trace::HostDetail::all;
  return options;
}

constexpr std::string_view kernel =
    R"({"ph":"X","cat":"kernel","name":"k","pid":3,"tid":7,"ts":10,"dur":5,"args":{"device":3,"stream":7}})";

std::string text_of(const std::string& events) {
  return fmt::format("{{\"traceEvents\":[{}{}{}]}}", events, events.empty() ? "" : ",", kernel);
}

trace::Trace read(const Folder& folder, const std::string& events,
                  const trace::OpenOptions& options = all_options()) {
  return trace::open_trace(folder.write("t.json", text_of(events)), options);
}

std::string memory_event(std::string_view ts, std::string_view args,
                         std::string_view name = "[memory]") {
  return fmt::format(R"({{"ph":"i","cat":"cpu_instant_event","s":"t","name":"{}","pid":41,)"
                     R"("tid":42,"ts":{},"args":{{{}}}}})",
                     name, ts, args);
}
std::string change(std::string_view ts, int64_t bytes, int64_t used, int64_t reserved, int type = 1,
                   int device = 3) {
  return memory_event(ts,
                      fmt::format(R"("Total Reserved":{},"Total Allocated":{},"Bytes":{},"Addr":7,)"
                                  R"("Device Id":{},"Device Type":{},"Ev Idx":1)",
                                  reserved, used, bytes, device, type));
}

std::string shown(const trace::Trace& trace) {
  std::string out;
  if (trace.memory) {
    for (const trace::MemorySeries& one : trace.memory->series) {
      out += fmt::format("{} {} {}:", to_string(one.source), one.kind,
                         one.device ? std::to_string(*one.device) : "-");
      if (one.before) out += fmt::format(" (before {}/{})", one.before->used, one.before->reserved);
      for (const trace::MemoryEvent& event : one.events) {
        out += fmt::format(" {}:{:+}={}", event.time_ns, event.bytes, event.after.used);
        if (event.after.reserved >= 0) out += fmt::format("/{}", event.after.reserved);
        if (event.unknown_address) out += "?";
      }
      for (const int64_t time : one.out_of_memory) out += fmt::format(" {}:failed", time);
      out += '\n';
    }
  }
  if (trace.gpu_metrics) {
    for (const trace::GpuMetric& metric : trace.gpu_metrics->metrics) {
      out += fmt::format("{}/{} {} {}:", metric.gpu,
                         metric.device ? std::to_string(*metric.device) : "?", metric.name,
                         to_string(metric.unit));
      for (size_t i = 0; i < metric.samples.size(); ++i) {
        out += fmt::format(" {}-{}={}", metric.samples[i].time_ns, metric.ends[i],
                           metric.in_unit(metric.samples[i].value));
      }
      out += '\n';
    }
  }
  for (const trace::DroppedRecords& one : trace.dropped) {
    out += fmt::format("{} {}\n", one.count, one.what);
  }
  return out;
}

std::string counter(std::string_view ts, std::string_view name, std::string_view args,
                    std::string_view pid = "\"GPU 3 Counters\"", std::string_view more = "") {
  return fmt::format(R"({{"ph":"C","name":"{}","pid":{},"ts":{}{},"args":{{{}}}}})", name, pid, ts,
                     more, args);
}

}  // namespace

TEST_CASE("memory of Kineto: by device, in order of time, ties in the order of the file") {
  const Folder folder;
  const trace::Trace trace =
      read(folder,
           change("2", 100, 600, 1000) + "," + change("1.5", 500, 500, 800) + "," +
               change("2", -50, 550, 1000) + "," + change("1", 8, 8, 0, 0, -1) + "," +
               change("3", 9, 9, 10, 6, 0) + "," + change("4", 9, 9, 10, 77, 0) + "," +
               memory_event("2.5", R"("Device Type":1,"Device Id":3,"Bytes":99)", "[OutOfMemory]"));
  CHECK(shown(trace) ==
        "allocator device type 77 0: 4000:+9=9/10\n"
        "allocator hip 0: 3000:+9=9/10\n"
        "allocator cuda 3: 1500:+500=500/800 2000:+100=600/1000 2000:-50=550/1000 2500:failed\n"
        "allocator cpu -: 1000:+8=8\n");
  const trace::Memory& memory = *trace.memory;
  const trace::HostThread& thread = memory.threads[memory.series[2].events[0].thread];
  CHECK(thread.process == "41");
  CHECK(thread.thread == "42");
}

TEST_CASE("memory and counters are read only if they are wanted") {
  const Folder folder;
  const std::string events = change("1", 1, 1, 1) + "," + counter("1", "Power (W)", R"("":4)");
  trace::OpenOptions options;
  CHECK(shown(read(folder, events, options)).empty());
  options.memory = true;
  CHECK(shown(read(folder, events, options)) == "allocator cuda 3: 1000:+1=1/1\n");
  options.memory = false;
  options.gpu_metrics = true;
  CHECK(shown(read(folder, events, options)) == "3/3 Power (W) watts: 1000-1000=4\n");
}

TEST_CASE("memory events that cannot be right are counted") {
  const Folder folder;
  const auto dropped = [&](const std::string& event) { return shown(read(folder, event)); };
  const std::string place = R"("Device Type":1,"Device Id":0,)";
  CHECK(dropped(change("1", 1, -1, 1)) == "1 memory event without a valid total\n");
  CHECK(dropped(change("1", 1, INT64_MAX, 1)) == "1 memory event without a valid total\n");
  CHECK(dropped(change("1", INT64_MIN, 1, 1)) ==
        "1 memory event without a valid number of bytes\n");
  CHECK(dropped(memory_event("1", place + R"("Bytes":5)")) ==
        "1 memory event without a valid total\n");
  CHECK(dropped(memory_event("1", place + R"("Bytes":"five","Total Allocated":5)")) ==
        "1 memory event without a valid number of bytes\n");
  CHECK(dropped(memory_event("1", place + R"("Bytes":{"a":[1]},"Total Allocated":5)")) ==
        "1 memory event without a valid number of bytes\n");
  CHECK(dropped(memory_event("1", place + R"("Bytes":1e400,"Total Allocated":5)")) ==
        "1 memory event without a valid number of bytes\n");
  CHECK(dropped(memory_event("1", R"("Bytes":5,"Total Allocated":5)")) ==
        "1 memory event without a device\n");
  CHECK(dropped(
            memory_event("1", R"("Device Type":1,"Device Id":-7,"Bytes":5,"Total Allocated":5)")) ==
        "1 memory event without a device\n");
  CHECK(dropped(memory_event("1", "")) == "1 memory event without a device\n");
  CHECK(dropped(R"({"ph":"i","name":"[memory]","ts":1})") == "1 memory event without a device\n");
  CHECK(dropped(R"({"ph":"i","name":"[memory]","ts":1,"args":[1,{"Bytes":1}]})") ==
        "1 memory event without a device\n");
  CHECK(dropped(memory_event("\"soon\"", place + R"("Bytes":5,"Total Allocated":5)")) ==
        "1 memory event without a valid time\n");
  // Numbers may be texts, as elsewhere; totals without what is reserved.
  CHECK(dropped(memory_event("1", place + R"("Bytes":"5","Total Allocated":"6")")) ==
        "allocator cuda 0: 1000:+5=6\n");
  // What follows is read.
  CHECK(shown(read(folder, memory_event("1", R"("Device Type":1,"Device Id":0)") + "," +
                               change("2", 1, 1, 1))) ==
        "allocator cuda 3: 2000:+1=1/1\n1 memory event without a valid number of bytes\n");
}

TEST_CASE("counters of Kineto and of PyTorch's monitor") {
  const Folder folder;
  const trace::Trace trace = read(
      folder, counter("1", "sm__cycles_active.avg.pct_of_peak_sustained_elapsed", R"("":50)",
                      "\"GPU 0 Counters\"", R"(,"cat":"hardware_counters","tid":0)") +
                  "," + counter("3", "SM Clock (MHz)", R"("":1980.0)") + "," +
                  counter("2", "SM Clock (MHz)", R"("":1500)") + "," +
                  counter("2", "nvlrx__bytes.sum.per_second", R"("":7)") + "," +
                  counter("2", "sm__cycles_elapsed.avg.per_second", R"("":8)") + "," +
                  counter("2", "SM Active (%)", R"("":101)") + "," +
                  counter("2", "Temperature (C)", R"("":61)") + "," +
                  counter("2", "Cycles (Current Kernel)", R"("":18057)") + "," +
                  counter("2", "HBM BW", R"("":-1)") + "," + counter("2", "HBM BW", R"("":"7")") +
                  "," + counter("2", "HBM BW", R"("":1e999)") + "," +
                  counter("\"x\"", "HBM BW", R"("":7)"));
  CHECK(shown(trace) ==
        "0/? sm__cycles_active.avg.pct_of_peak_sustained_elapsed ratio: 1000-1000=0.5\n"
        "3/3 SM Active (%) ratio: 2000-2000=1\n"
        "3/3 SM Clock (MHz) hz: 2000-3000=1500000000 3000-3000=1980000000\n"
        "3/3 Temperature (C) number: 2000-2000=61\n"
        "3/3 nvlrx__bytes.sum.per_second bytes_per_s: 2000-2000=7\n"
        "3/3 sm__cycles_elapsed.avg.per_second hz: 2000-2000=8\n"
        "1 counter of cycles, which is the duration of a kernel times the clock\n"
        "1 GPU metric sample with a negative value\n"
        "2 GPU metric sample whose value is not a number\n"
        "1 GPU metric sample without a valid time\n"
        "1 GPU metric value over 100 %: read as 100 %\n");
}

TEST_CASE("counters of programs are none of GPUs") {
  const Folder folder;
  CHECK(shown(read(folder, counter("1", "queue", R"("":5)", "41") + "," +
                               counter("1", "queue", R"("":5)", "\"GPU x Counters\"") + "," +
                               counter("1", "queue", R"("":5)", "\"GPU  Counters\""))) == "");
}

TEST_CASE("counters by kernel stop with it") {
  const Folder folder;
  const std::string_view xpu = R"(,"cat":"xpu_scope_profiler")";
  const trace::Trace trace = read(
      folder, counter("9.999", "metrics", R"("XVE_ACTIVE":60,"GpuTime":8000,"On":true)", "3", xpu) +
                  "," + counter("15.001", "metrics", R"("XVE_ACTIVE":0,"GpuTime":0)", "3", xpu) +
                  "," + counter("1", "a", R"("m":5)", "0", R"(,"cat":"mtia_counters")"));
  CHECK(shown(trace) ==
        "0/? m number: 1001-1001=5\n"
        "3/3 GpuTime number: 10000-15000=8000\n"
        "3/3 XVE_ACTIVE ratio: 10000-15000=0.6\n"
        "1 GPU metric sample whose value is not a number\n");
}

TEST_CASE("memory and counters of a merged trace") {
  const Folder folder;
  const auto rank = [](std::string_view member) {
    return fmt::format(
        R"({{"ph":"X","cat":"kernel","name":"k","pid":"[{0}] 0","tid":7,"ts":10,"dur":5,)"
        R"("args":{{"device":0,"stream":7}}}},)"
        R"({{"ph":"i","name":"[memory]","pid":"[{0}] 41","tid":1,"ts":2,"args":{{"Bytes":{1},)"
        R"("Total Allocated":{1},"Total Reserved":9,"Device Type":1,"Device Id":0}}}},)"
        R"-({{"ph":"C","name":"Power (W)","pid":"[{0}] GPU 0 Counters","ts":3,"args":{{"":{1}}}}})-",
        member, member.back() - '0' + 1);
  };
  const std::string path = folder.write(
      "m.json", fmt::format("{{\"traceEvents\":[{},{}]}}", rank("TP00"), rank("TP01")));
  const std::vector<trace::Trace> traces = trace::open_traces(path, all_options());
  REQUIRE(traces.size() == 2);
  CHECK(shown(traces[0]) == "allocator cuda 0: 2000:+1=1/9\n0/0 Power (W) watts: 3000-3000=1\n");
  CHECK(shown(traces[1]) == "allocator cuda 0: 2000:+2=2/9\n0/0 Power (W) watts: 3000-3000=2\n");
  CHECK(traces[1].memory->threads[0].process == "41");
}

TEST_CASE("memory and counters of a part of a run: what is inside, and the level before") {
  const Folder folder;
  const std::string_view later =
      R"({"ph":"X","cat":"kernel","name":"k","pid":3,"tid":7,"ts":100,"dur":5,"args":{"device":3,"stream":7}})";
  trace::Trace trace =
      read(folder,
           fmt::format(
               "{},{},{},{},{},{},{},{},{}", later, change("2", 7, 7, 64), change("20", 2, 9, 64),
               change("101", -4, 5, 64), change("106", 1, 6, 64), change("3", 1, 1, 0, 6, 0),
               memory_event("50", R"("Device Type":1,"Device Id":3)", "[OutOfMemory]"),
               counter("9", "Power (W)", R"("":4)"), counter("102", "Power (W)", R"("":5)")));
  REQUIRE(trace.operations.size() == 2);
  trace::Kept kept;
  kept.operations = {false, true};
  trace::reduce(trace, kept);
  CHECK(shown(trace) ==
        "allocator cuda 3: (before 9/-1) 101000:-4=5/64\n"
        "3/3 Power (W) watts: 102000-102000=5\n");
}

TEST_CASE("a trace with memory and counters that is cut off at any byte") {
  const Folder folder;
  const std::string text =
      text_of(change("2", 100, 600, 1000) + "," + counter("2", "SM Active (%)", R"("":88.5)"));
  trace::OpenOptions options = all_options();
  options.allow_truncated = true;
  size_t with_memory = 0;
  for (size_t bytes = 1; bytes < text.size(); ++bytes) {
    const std::string path = folder.write("cut.json", text.substr(0, bytes));
    try {
      with_memory += trace::open_trace(path, options).memory != nullptr ? 1 : 0;
    } catch (const std::exception&) {
      CHECK(bytes < text.size());
    }
  }
  CHECK(with_memory > 0);
}

namespace {

const std::string calls =
    "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start, globalPid, deviceId, address, bytes, "
    "memKind, memoryOperationType, localMemoryPoolAddress, localMemoryPoolSize, "
    "localMemoryPoolUtilizedSize);";

/// `row`: the columns from `start` to `memoryOperationType`.
std::string call(std::string_view row, std::string_view pool = "NULL, NULL, NULL") {
  return fmt::format("INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES ({}, {});", row, pool);
}

std::string nsys(const std::string& sql) {
  const Folder folder;
  const std::string path = folder.path("t.sqlite");
  sqlite::Database::write(path).execute(
      "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
      "INSERT INTO StringIds VALUES (1, 'k');"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, "
      "streamId INTEGER, demangledName INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (0, 100, 0, 7, 1);" +
      sql);
  return shown(trace::open_trace(path, all_options()));
}

constexpr int64_t process = int64_t{300} << 24;
std::string row(int64_t start, int64_t address, int64_t bytes, int kind, int type,
                int64_t pid = process, int device = 0) {
  return fmt::format("{}, {}, {}, {}, {}, {}, {}", start, pid, device, address, bytes, kind, type);
}

}  // namespace

TEST_CASE("memory of nsys: live bytes by process and address") {
  const int64_t other = process + (int64_t{1} << 24);
  CHECK(nsys(calls + call(row(30, 1, 100, 2, 1)) + call(row(10, 1, 100, 2, 0)) +
             call(row(20, 1, 5, 2, 0, other)) + call(row(40, 2, 7, 2, 1)) +
             call(row(50, 3, 4, 1, 0)) + call(row(60, 4, 4, 9, 0, process, 1)) +
             // The same address again, without a release; a release that says too much.
             call(row(70, 1, 11, 2, 0, other)) + call(row(80, 1, 999, 2, 1, other))) ==
        "driver Device 0: 10:+100=100 20:+5=105 30:-100=5 40:-7=5? 70:+11=11 80:-11=0\n"
        "driver Pinned 0: 50:+4=4\n"
        "driver kind 9 1: 60:+4=4\n");
}

TEST_CASE("memory pools of nsys") {
  const std::string pools =
      "CREATE TABLE CUDA_GPU_MEMORY_POOL_EVENTS (start, globalPid, deviceId, address, "
      "operationType, localMemoryPoolSize, localMemoryPoolUtilizedSize);";
  const auto pool = [](std::string_view values) {
    return fmt::format("INSERT INTO CUDA_GPU_MEMORY_POOL_EVENTS VALUES ({});", values);
  };
  CHECK(nsys(calls + pools + pool(fmt::format("1, {}, 0, 77, 1, 0, 0", process)) +
             call(row(10, 1, 100, 2, 0), "77, 128, 100") +
             call(row(20, 2, 100, 2, 0), "78, 200, 100") +
             call(row(30, 1, 100, 2, 1), "77, 128, 0") + call(row(35, 3, 1, 2, 0), "79, -1, 0") +
             pool(fmt::format("40, {}, 0, 77, 3, 64, 0", process)) +
             pool(fmt::format("50, {}, 0, 78, 2, NULL, NULL", process))) ==
        "driver Device 0: 10:+100=100 20:+100=200 30:-100=100 35:+1=101\n"
        "pool Device 0: 1:+0=0/0 10:+100=100/128 20:+100=200/328 30:-100=100/328 40:+0=100/264 "
        "50:+0=0/64\n"
        "1 state of a memory pool without valid sizes\n");
}

TEST_CASE("memory events of nsys that cannot be right are counted") {
  CHECK(nsys(calls + call("'soon', 0, 0, 1, 1, 2, 0")) == "1 memory event without a valid time\n");
  CHECK(nsys(calls + call("1, 0, 0, NULL, 1, 2, 0") + call("1, 0, -1, 1, 1, 2, 0") +
             call("1, 0, 99999999999, 1, 1, 2, 0")) ==
        "3 memory event without an address or a device\n");
  CHECK(nsys(calls + call("1, 0, 0, 1, -1, 2, 0") + call("1, 0, 0, 1, 9223372036854775807, 2, 0") +
             call("1, 0, 0, 1, 'many', 2, 0") + call("1, 0, 0, 1, 1.5, 2, 0")) ==
        "4 memory event without a valid number of bytes\n");
  CHECK(nsys(calls + call("1, 0, 0, 1, 1, 2, 7") + call("1, 0, 0, 1, 1, NULL, 0")) ==
        "2 memory event of an unknown kind or type\n");
  CHECK(nsys("CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start, bytes);") ==
        "1 table of memory events without times, addresses, bytes or types\n");
  CHECK(nsys("CREATE VIEW CUDA_GPU_MEMORY_USAGE_EVENTS AS SELECT 1 AS start;") ==
        "1 view or virtual table CUDA_GPU_MEMORY_USAGE_EVENTS\n");
  CHECK(nsys(calls) == "");
}

}  // namespace kr::test::memory_test
