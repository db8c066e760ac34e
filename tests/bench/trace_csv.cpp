// A million rows of cuda_gpu_trace CSV (about 210 MB) to a sorted Trace.
//
// Contenders: what the machine allows at all (`read` of the same bytes into one block, and that
// with a count of newlines), the reader on one thread, and as it comes.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "trace/open.hpp"
#include "trace/readers/csv_scan.hpp"
#include "trace_data.hpp"

namespace {

constexpr int rows = 1000000;
constexpr size_t block_size = size_t{256} << 10;

std::string file() {
  return kr::bench::large_trace("csv", rows);
}

template <class Use>
int64_t read_blocks(const std::string& path, Use use) {
  std::vector<char> block(block_size);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  int64_t bytes = 0;
  while (true) {
    const ssize_t got = ::read(descriptor, block.data(), block.size());
    if (got <= 0) break;
    bytes += got;
    use(std::string_view(block.data(), static_cast<size_t>(got)));
  }
  ::close(descriptor);
  return bytes;
}

void bare_read(benchmark::State& state) {
  const std::string path = file();
  int64_t bytes = 0;
  for (auto _ : state) bytes = read_blocks(path, [](std::string_view) {});
  state.SetBytesProcessed(bytes * state.iterations());
}

void read_and_count_lines(benchmark::State& state) {
  const std::string path = file();
  int64_t bytes = 0;
  for (auto _ : state) {
    uint64_t lines = 0;
    bytes =
        read_blocks(path, [&](std::string_view text) { lines += kr::trace::line_breaks(text); });
    if (lines != rows + 1) state.SkipWithError("lines are missing");
  }
  state.SetBytesProcessed(bytes * state.iterations());
}

void reader(benchmark::State& state) {
  const std::string path = file();
  kr::trace::OpenOptions options;
  options.threads = static_cast<unsigned>(state.range(0));
  for (auto _ : state) {
    const kr::trace::Trace trace = kr::trace::open_trace(path, options);
    if (trace.operations.size() != rows) state.SkipWithError("operations are missing");
  }
  state.SetItemsProcessed(rows * state.iterations());
}

// Time of the processor beside that of the clock: all threads, whoever else is at work.
void measured(benchmark::internal::Benchmark* task) {
  task->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();
}

BENCHMARK(bare_read)->Apply(measured);
BENCHMARK(read_and_count_lines)->Apply(measured);
BENCHMARK(reader)->ArgName("threads")->Arg(1)->Arg(0)->Apply(measured);

}  // namespace
