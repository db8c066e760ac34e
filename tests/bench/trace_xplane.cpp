// A profile of XLA (xplane.pb) of one GPU and its host to a sorted Trace.
//
// Contender: a bare pass over all fields of the same messages, which adds up the numbers and keeps
// nothing.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "base/wire_writer.hpp"
#include "trace/format.hpp"
#include "trace/open.hpp"
#include "trace/readers/wire.hpp"

namespace {

using kr::append_bytes;
using kr::append_number;

constexpr int64_t launches = 1'000'000;

void add_named(std::string& plane, uint32_t field, int64_t id, std::string_view name) {
  std::string metadata;
  append_bytes(metadata, 2, name);
  std::string entry;
  append_number(entry, 1, id);
  append_bytes(entry, 2, metadata);
  append_bytes(plane, field, entry);
}

void add_stat(std::string& event, int64_t id, uint32_t field, int64_t value) {
  std::string stat;
  append_number(stat, 1, id);
  append_number(stat, field, value);
  append_bytes(event, 4, stat);
}

/// Events with six stats each, as XLA writes of a kernel and of its launch.
void add_plane(std::string& space, std::string_view name, std::string_view line_name,
               int64_t delay) {
  std::string line;
  append_number(line, 1, 7);
  append_bytes(line, 2, line_name);
  append_number(line, 3, 1'000'000);
  for (int64_t i = 0; i < launches; ++i) {
    std::string event;
    append_number(event, 1, i % 40);
    append_number(event, 2, i * 5'000'000 + delay);
    append_number(event, 3, 3'000'000 + i % 1000 * 1000);
    add_stat(event, 1, 3, i);
    add_stat(event, 2, 7, 20 + i % 10);
    for (int64_t stat = 3; stat <= 6; ++stat) add_stat(event, stat, 7, 30 + i % 40);
    append_bytes(line, 4, event);
  }
  std::string plane;
  append_bytes(plane, 2, name);
  append_bytes(plane, 3, line);
  for (int64_t id = 0; id < 40; ++id) {
    const std::string kernel = "loop_add_fusion_" + std::to_string(id);
    add_named(plane, 4, id, name == "/host:CPU" ? "cuLaunchKernel" : kernel);
    add_named(plane, 5, 30 + id, "jit(f)/jvp(Model)/layers_" + std::to_string(id) + "/mlp/add");
  }
  int64_t id = 0;
  for (const auto stat :
       {"correlation_id", "kernel_details", "tf_op", "hlo_op", "hlo_module", "program_id"}) {
    add_named(plane, 5, ++id, stat);
  }
  for (int64_t i = 0; i < 10; ++i) {
    add_named(plane, 5, 20 + i, "regs:32 grid:" + std::to_string(i + 1) + ",1,1 block:256,1,1");
  }
  append_bytes(space, 1, plane);
}

// KR_BENCH_XPLANE: a file instead.
const std::string& text() {
  static const std::string all = [] {
    if (const char* other = std::getenv("KR_BENCH_XPLANE"); other != nullptr) {
      std::ostringstream out;
      out << std::ifstream(other, std::ios::binary).rdbuf();
      return std::move(out).str();
    }
    std::string space;
    add_plane(space, "/device:GPU:0", "Stream #7(Kernel)", 2'000'000);
    add_plane(space, "/host:CPU", "python", 0);
    return space;
  }();
  return all;
}

/// Space, plane, line, event, stat.
uint64_t sum_of(std::string_view message, int level) {
  constexpr uint32_t inner[] = {1, 3, 4, 4, 0};
  uint64_t sum = 0;
  kr::trace::WireReader reader(message);
  for (kr::trace::WireField field; reader.next(field);) {
    if (field.type != kr::trace::WireField::Type::bytes) {
      sum += field.value;
    } else if (field.number == inner[level]) {
      sum += sum_of(field.bytes, level + 1);
    }
  }
  return sum;
}

void bare_pass(benchmark::State& state) {
  const std::string_view all = text();  // made before the clock starts
  for (auto _ : state) benchmark::DoNotOptimize(sum_of(all, 0));
  state.SetBytesProcessed(static_cast<int64_t>(text().size()) * state.iterations());
}

void reader_in_memory(benchmark::State& state) {
  kr::trace::OpenOptions options;
  options.host = state.range(0) != 0 ? kr::trace::HostDetail::all : kr::trace::HostDetail::none;
  const std::string_view all = text();
  for (auto _ : state) {
    kr::trace::Input input(all, "t", options);
    kr::trace::TraceBuilder builder("t", "xplane");
    kr::trace::xplane_format.read(input, builder);
    if (std::move(builder).finish().operations.empty()) state.SkipWithError("no operations");
  }
  state.SetBytesProcessed(static_cast<int64_t>(text().size()) * state.iterations());
}

// Time of the processor beside that of the clock, whoever else is at work.
void measured(benchmark::internal::Benchmark* task) {
  task->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();
}

BENCHMARK(bare_pass)->Apply(measured);
BENCHMARK(reader_in_memory)->ArgName("host")->Arg(0)->Arg(1)->Apply(measured);

}  // namespace
