// Seventy megabytes of a profile of Proton in MessagePack, to module trees.
//
// Contenders: a bare pass of MsgpackPull over all values, and the reader.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <bit>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "trace/open.hpp"
#include "trace/readers/msgpack_pull.hpp"

namespace {

constexpr uint32_t scopes = 60'000;

void big_endian(std::string& out, char mark, uint64_t value, int bytes) {
  out += mark;
  while (bytes-- > 0) out += static_cast<char>(value >> (8 * bytes) & 0xff);
}
void text(std::string& out, std::string_view value) {
  big_endian(out, '\xd9', value.size(), 1);
  out += value;
}

/// Up to its metrics, of which there are `metrics`, and children.
void node(std::string& out, std::string_view name, uint32_t children, char metrics) {
  out += '\x83';
  text(out, "frame");
  out += '\x82';
  text(out, "name");
  text(out, name);
  text(out, "type");
  text(out, "function");
  text(out, "metrics");
  out += static_cast<char>('\x80' | metrics);
  if (metrics > 0) {
    text(out, "count");
    big_endian(out, '\xcd', 1000 + name.size(), 2);
    text(out, "device_id");
    text(out, "0");
    text(out, "device_type");
    text(out, "CUDA");
    text(out, "flops16");
    big_endian(out, '\xcb', std::bit_cast<uint64_t>(687194767360000.0), 8);
    text(out, "bytes");
    big_endian(out, '\xcf', 1'509'949'440'000, 8);
    text(out, "time (ns)");
    big_endian(out, '\xce', 902'867'331, 4);
  }
  text(out, "children");
  big_endian(out, '\xdd', children, 4);
}

std::string profile() {
  std::string out = "\x91";
  node(out, "ROOT", scopes, 0);
  for (uint32_t scope = 0; scope < scopes; ++scope) {
    node(out, fmt::format("model.layers.{}.mlp", scope % 80), 6, 0);
    for (int kernel = 0; kernel < 6; ++kernel) {
      node(out, fmt::format("matmul_kernel_{}[M=8192, N=8192, K=512]", kernel), 0, 6);
    }
  }
  return out;
}

/// KR_BENCH_PROTON: another file.
std::string file() {
  if (const char* const other = std::getenv("KR_BENCH_PROTON")) return other;
  const auto path = std::filesystem::temp_directory_path() / "kr-bench" / "large.hatchet_msgpack";
  std::filesystem::create_directories(path.parent_path());
  if (!std::filesystem::exists(path)) std::ofstream(path, std::ios::binary) << profile();
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
    kr::trace::MsgpackPull values(input);
    values.pass();
    values.end();
    benchmark::DoNotOptimize(values.offset());
  }
  set_bytes(state, path);
}

void reader(benchmark::State& state) {
  const std::string path = file();
  for (auto _ : state) {
    const kr::trace::Opened opened = kr::trace::open_any(path);
    if (!opened.modules) state.SkipWithError("modules are missing");
  }
  set_bytes(state, path);
}

void measured(benchmark::internal::Benchmark* task) {
  task->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();
}

BENCHMARK(bare_pass)->Apply(measured);
BENCHMARK(reader)->Apply(measured);

}  // namespace
