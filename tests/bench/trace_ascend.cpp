// A hundred megabytes of the timeline of an Ascend NPU (`trace_view.json`) to a sorted Trace: of
// each kernel its op, its two places in the queue of launches, its call, its task and the arrows
// between them, as torch_npu writes them.
//
// Contenders: a bare pass of JsonPull over all values, and the reader, with operations only and
// with the host trace, on one thread and on all.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "trace/open.hpp"
#include "trace/readers/json_pull.hpp"

namespace {

constexpr int64_t kernels = 60'000;

std::string time_at(int64_t ns) {
  constexpr int64_t epoch_us = 1'704'161'511'420'306;
  return fmt::format("{}.{:03}", epoch_us + ns / 1000, ns % 1000);
}

void add_kernel(std::string& out, int64_t number) {
  constexpr int64_t apart_ns = 20'000;
  const int64_t begin = number * apart_ns;
  const std::string op = time_at(begin), put = time_at(begin + 500);
  const std::string got = time_at(begin + 3000), call = time_at(begin + 4000);
  const std::string task = time_at(begin + 9000);
  const int64_t arrow = number << 32 | 0xffffffff;
  const auto to = std::back_inserter(out);
  fmt::format_to(to,
                 R"({{"ph": "X", "name": "aten::op_{}", "pid": 437675, "tid": 437675, "ts": "{}", )"
                 R"("dur": 13.08, "cat": "cpu_op", "args": {{"Sequence number": -1, )"
                 R"("Fwd thread id": 0}}}}, )",
                 number % 50, op);
  fmt::format_to(to,
                 R"({{"ph": "s", "bp": "e", "name": "torch_to_npu", "id": {}, "pid": 437675, )"
                 R"("tid": 437675, "ts": "{}", "cat": "async_npu"}}, )",
                 number, put);
  fmt::format_to(to,
                 R"({{"ph": "X", "name": "Enqueue", "pid": 437675, "tid": 437675, "ts": "{}", )"
                 R"("dur": 1.33, "cat": "enqueue", "args": {{"correlation_id": {}}}}}, )",
                 put, number);
  fmt::format_to(to,
                 R"({{"ph": "X", "name": "Dequeue@aclnnOp", "pid": 437675, "tid": 439084, "ts": )"
                 R"("{}", "dur": 6.27, "cat": "dequeue", "args": {{"correlation_id": {}}}}}, )",
                 got, number);
  fmt::format_to(to,
                 R"({{"name": "AscendCL@aclrtLaunchKernel", "pid": 43767502, "tid": 439084, "ts": )"
                 R"("{}", "dur": 2.77012757357446, "args": {{"Thread Id": 439084, "Mode": )"
                 R"("ACL_RTS", "level": "acl", "id": "aclrtLaunchKernel", "item_id": "0", )"
                 R"("connection_id": {}}}, "ph": "X"}}, )",
                 call, number);
  fmt::format_to(to,
                 R"({{"name": "HostToDevice{0}", "ph": "s", "cat": "HostToDevice", "id": "{0}", )"
                 R"("pid": 43767502, "tid": 439084, "ts": "{1}"}}, )",
                 arrow, call);
  fmt::format_to(to,
                 R"({{"name": "aclnnOp{}_AiCore_MatMulV2", "pid": 800, "tid": 3, "ts": "{}", )"
                 R"("dur": 8.35, "args": {{"Model Id": 4294967295, "Task Type": "AI_CORE", )"
                 R"("Stream Id": 3, "Task Id": {}, "Batch Id": 0, "Subtask Id": 4294967295, )"
                 R"("connection_id": {}}}, "ph": "X"}}, )",
                 number % 500, task, number % 65536, number);
  fmt::format_to(to,
                 R"({{"name": "HostToDevice{0}", "ph": "f", "id": "{0}", "ts": "{1}", "cat": )"
                 R"("HostToDevice", "pid": 800, "tid": 3, "bp": "e"}}, )",
                 arrow, task);
  fmt::format_to(to,
                 R"({{"ph": "f", "bp": "e", "name": "torch_to_npu", "id": {}, "pid": 800, "tid": )"
                 R"(3, "ts": "{}", "cat": "async_npu"}}, )",
                 number, task);
  fmt::format_to(to,
                 R"({{"name": "Computing", "pid": 4376751100, "tid": 0, "ts": "{}", "dur": 8.35, )"
                 R"("ph": "X"}}, )",
                 task);
}

std::string timeline() {
  std::string out =
      R"([{"name": "process_name", "pid": 800, "tid": 0, "args": {"name": "Ascend Hardware"}, )"
      R"("ph": "M"}, )";
  for (const auto& [pid, name] : {std::pair("437675", "Python"), std::pair("43767502", "CANN"),
                                  std::pair("4376751100", "Overlap Analysis")}) {
    fmt::format_to(std::back_inserter(out),
                   R"({{"name": "process_name", "pid": {}, "tid": 0, "args": {{"name": "{}"}}, )"
                   R"("ph": "M"}}, )",
                   pid, name);
  }
  for (int64_t number = 0; number < kernels; ++number) add_kernel(out, number);
  out.resize(out.size() - 2);
  return out + "]";
}

/// KR_BENCH_ASCEND: another file.
std::string file() {
  if (const char* const other = std::getenv("KR_BENCH_ASCEND")) return other;
  const auto path = std::filesystem::temp_directory_path() / "kr-bench" / "ascend.json";
  std::filesystem::create_directories(path.parent_path());
  if (!std::filesystem::exists(path)) std::ofstream(path, std::ios::binary) << timeline();
  return path.string();
}

void set_bytes(benchmark::State& state, const std::string& path) {
  state.SetBytesProcessed(static_cast<int64_t>(std::filesystem::file_size(path)) *
                          state.iterations());
}

void bare_pass(benchmark::State& state) {
  const std::string path = file();
  for (auto _ : state) {
    const kr::trace::OpenOptions options;
    kr::trace::Input input(path, options);
    kr::trace::JsonPull values(input);
    values.pass();
    values.end();
    benchmark::DoNotOptimize(values.offset());
  }
  set_bytes(state, path);
}

void reader(benchmark::State& state) {
  const std::string path = file();
  kr::trace::OpenOptions options;
  options.threads = static_cast<unsigned>(state.range(0));
  if (state.range(1) != 0) options.host = kr::trace::HostDetail::all;
  for (auto _ : state) {
    const kr::trace::Trace trace = kr::trace::open_trace(path, options);
    if (trace.operations.empty()) state.SkipWithError("operations are missing");
  }
  set_bytes(state, path);
}

void measured(benchmark::internal::Benchmark* task) {
  task->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();
}

BENCHMARK(bare_pass)->Apply(measured);
BENCHMARK(reader)->ArgNames({"threads", "host"})->Args({1, 0})->Apply(measured);
BENCHMARK(reader)->ArgNames({"threads", "host"})->Args({0, 0})->Apply(measured);
BENCHMARK(reader)->ArgNames({"threads", "host"})->Args({1, 1})->Apply(measured);
BENCHMARK(reader)->ArgNames({"threads", "host"})->Args({0, 1})->Apply(measured);

}  // namespace
