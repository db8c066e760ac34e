// Eighty megabytes of a Perfetto trace, as PyTorch writes it, to a sorted Trace.
//
// Contenders: a bare pass of WireReader over the fields of all packets, the same with the fields of
// their events, and the reader, with operations only and with the host trace.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "support/protobuf.hpp"
#include "trace/open.hpp"
#include "trace/readers/wire.hpp"
#include "trace/readers/wire_stream.hpp"

namespace {

using kr::test::Protobuf;
using kr::trace::WireField;

constexpr uint64_t operations = 250'000;
constexpr uint64_t group = 1000;  // slices of which the beginnings come first

Protobuf packet(uint64_t time) {
  return Protobuf().number(8, time).number(10, 1).number(13, 2);
}
void add(std::string& out, uint32_t field, uint64_t time, const Protobuf& event) {
  out += Protobuf().message(1, packet(time).message(field, event)).bytes();
}

std::string head() {
  Protobuf data;
  for (const auto& [id, name] :
       {std::pair<uint64_t, const char*>{1, "Kernel"}, {9, "[07] stream 7"}}) {
    data.message(24, Protobuf().number(1, id).text(2, name));
  }
  data.message(23, Protobuf().number(1, 1).number(2, 50));
  for (uint64_t id = 1; id <= 500; ++id) {
    data.message(
        2, Protobuf().number(1, id).text(2, fmt::format("void kernel_of_model<{}>(float*)", id)));
  }
  data.message(2, Protobuf().number(1, 1000).text(2, "cudaLaunchKernel"));
  data.message(1, Protobuf().number(1, 1).text(2, "cuda_runtime"));
  data.message(1, Protobuf().number(1, 2).text(2, "cpu_op"));
  Protobuf thread;
  thread.number(1, 2).message(4, Protobuf().number(1, 50).number(2, 51));
  return Protobuf().message(1, Protobuf().message(60, thread)).bytes() +
         Protobuf().message(1, Protobuf().number(10, 1).number(13, 1).message(12, data)).bytes();
}

void slices(std::string& out, uint64_t first, uint64_t category) {
  for (uint64_t i = first; i < first + group; ++i) {
    Protobuf event;
    event.number(9, 1).number(11, 2).number(10, category == 1 ? 1000 : 1 + i % 500);
    event.number(3, category);
    event.message(4, Protobuf().text(10, category == 1 ? "cbid" : "Ev Idx").number(4, 211));
    event.message(4,
                  Protobuf().text(10, category == 1 ? "correlation" : "External id").number(4, i));
    add(out, 11, 1'000'000'000 + i * 10'000, event);
  }
  for (uint64_t i = first; i < first + group; ++i) {
    add(out, 11, 1'000'005'000 + i * 10'000, Protobuf().number(9, 2).number(11, 2));
  }
}

std::string trace() {
  std::string out = head();
  for (uint64_t first = 0; first < operations; first += group) {
    slices(out, first, 2);
    slices(out, first, 1);
    for (uint64_t i = first; i < first + group; ++i) {
      Protobuf event;
      event.number(1, i).number(2, 4000).number(11, 3).number(13, 9).number(14, 1).number(5, 1);
      event.number(20, 1 + i % 500);
      const Protobuf grid = Protobuf().number(1, 132).number(2, 1).number(3, 1);
      event.message(21, Protobuf().message(1, grid).message(2, grid));
      for (const auto& [key, value] : {std::pair<const char*, std::string>{"device id", "3"},
                                       {"context id", "1"},
                                       {"stream id", "7"},
                                       {"correlation", fmt::format("{}", i)},
                                       {"arch", "sm_90"},
                                       {"process_id", "50"},
                                       {"process_name", "python"}}) {
        event.message(6, Protobuf().text(1, key).text(2, value));
      }
      add(out, 53, 1'000'007'000 + i * 10'000, event);
    }
  }
  return out;
}

/// KR_BENCH_PFTRACE: another file.
std::string file() {
  if (const char* const other = std::getenv("KR_BENCH_PFTRACE")) return other;
  const auto path = std::filesystem::temp_directory_path() / "kr-bench" / "large.pftrace";
  std::filesystem::create_directories(path.parent_path());
  if (!std::filesystem::exists(path)) std::ofstream(path, std::ios::binary) << trace();
  return path.string();
}

uint64_t fields_in(std::string_view bytes, int depth) {
  uint64_t all = 0;
  kr::trace::WireReader message(bytes);
  for (WireField field; message.next(field); ++all) {
    const bool event = field.number == 11 || field.number == 53;
    if (depth > 1 && event && field.type == WireField::Type::bytes) {
      all += fields_in(field.bytes, depth - 1);
    }
  }
  return all;
}

void bare_pass(benchmark::State& state) {
  const std::string path = file();
  for (auto _ : state) {
    const kr::trace::OpenOptions options;
    kr::trace::Input input(path, options);
    kr::trace::WireStream stream(input);
    uint64_t fields = 0;
    for (WireField field; stream.next(field);) {
      fields += fields_in(field.bytes, static_cast<int>(state.range(0)));
    }
    benchmark::DoNotOptimize(fields);
  }
  state.SetBytesProcessed(static_cast<int64_t>(std::filesystem::file_size(path)) *
                          state.iterations());
}

void reader(benchmark::State& state) {
  const std::string path = file();
  kr::trace::OpenOptions options;
  if (state.range(0) > 0) options.host = kr::trace::HostDetail::all;
  options.operation_details = options.collectives = state.range(0) > 1;
  for (auto _ : state) {
    const kr::trace::Trace trace = kr::trace::open_trace(path, options);
    if (trace.operations.empty()) state.SkipWithError("operations are missing");
  }
  state.SetBytesProcessed(static_cast<int64_t>(std::filesystem::file_size(path)) *
                          state.iterations());
}

// Time of the processor beside that of the clock: all threads, whoever else is at work.
void measured(benchmark::internal::Benchmark* task) {
  task->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();
}

BENCHMARK(bare_pass)->ArgName("depth")->Arg(1)->Arg(2)->Apply(measured);
BENCHMARK(reader)->ArgName("host")->Arg(0)->Arg(1)->Arg(2)->Apply(measured);

}  // namespace
