// A gigabyte of PyTorch profiler JSON to a sorted Trace.
//
// Contenders: a bare On-Demand pass of simdjson over the same text in memory, in the same windows
// (it looks at the category of every event and at the name and times of GPU events, keeps a sum,
// and checks nothing else), such a pass over the file as one document, the reader on one thread, as
// it comes, and with the host trace.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <simdjson.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "trace/format.hpp"
#include "trace/open.hpp"
#include "trace/readers/event_windows.hpp"
#include "trace_data.hpp"

namespace {

namespace od = simdjson::ondemand;

constexpr int copies = 20;

// KR_BENCH_KINETO: another file.
std::string file() {
  const char* other = std::getenv("KR_BENCH_KINETO");
  return other != nullptr ? other : kr::bench::large_trace("kineto", copies);
}

const std::string& text() {
  static const std::string all = [] {
    std::ostringstream out;
    out << std::ifstream(file(), std::ios::binary).rdbuf();
    return std::move(out).str();
  }();
  return all;
}

bool gpu(std::string_view category) {
  return category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset";
}

/// The events as arrays that On-Demand takes.
std::vector<simdjson::padded_string> windows() {
  std::vector<simdjson::padded_string> out;
  const size_t list = text().find('[', text().find("\"traceEvents\"")) + 1;
  const kr::trace::OpenOptions options;
  kr::trace::Input input(std::string_view(text()).substr(list), "t", options);
  kr::trace::EventWindows cut(input, "", 0);
  kr::trace::TextBlock window;
  while (cut.next(window)) {
    std::string_view events = window.text();
    events.remove_prefix(std::min(events.find('{'), events.size()));
    if (!events.empty()) out.emplace_back(fmt::format("[{}]", events));
  }
  return out;
}

struct Seen {
  size_t operations = 0;
  double sum = 0;
};

/// The events of a list: the category of each, and the name and times of GPU events.
void look_at(od::array events, Seen& seen) {
  for (auto item : events) {
    bool work = false;
    double start = 0;
    double duration = 0;
    std::string_view name;
    for (auto field : item.get_object()) {
      const od::raw_json_string key = field.key();
      if (key == "cat") {
        work = gpu(field.value().get_string());
      } else if (key == "name") {
        name = field.value().get_string();
      } else if (key == "ts") {
        start = field.value().get_double();
      } else if (key == "dur") {
        duration = field.value().get_double();
      }
    }
    if (!work) continue;
    ++seen.operations;
    seen.sum += start + duration + static_cast<double>(name.size());
  }
}

void bare_on_demand(benchmark::State& state) {
  const auto all = windows();
  od::parser parser;
  size_t bytes = 0;
  for (const auto& window : all) bytes += window.size();
  for (auto _ : state) {
    Seen seen;
    for (const auto& window : all) {
      od::document document;
      if (parser.iterate(window).get(document) != simdjson::SUCCESS) state.SkipWithError("no JSON");
      look_at(document.get_array(), seen);
    }
    benchmark::DoNotOptimize(seen);
    if (seen.operations == 0) state.SkipWithError("no operations");
  }
  state.SetBytesProcessed(static_cast<int64_t>(bytes) * state.iterations());
}

// The file as one document, as a script would read it: this takes as much memory as the file has
// bytes, and four bytes a token.
void bare_on_demand_of_file(benchmark::State& state) {
  const std::string path = file();
  for (auto _ : state) {
    od::parser parser;
    const simdjson::padded_string all = simdjson::padded_string::load(path);
    od::document document = parser.iterate(all);
    Seen seen;
    look_at(document.find_field("traceEvents").get_array(), seen);
    benchmark::DoNotOptimize(seen);
    if (seen.operations == 0) state.SkipWithError("no operations");
  }
  state.SetBytesProcessed(static_cast<int64_t>(text().size()) * state.iterations());
}

// Of the same bytes in memory, so that both do without the file system.
void reader_in_memory(benchmark::State& state) {
  kr::trace::OpenOptions options;
  options.threads = static_cast<unsigned>(state.range(0));
  options.host = state.range(1) != 0 ? kr::trace::HostDetail::all : kr::trace::HostDetail::none;
  for (auto _ : state) {
    kr::trace::Input input(text(), "t", options);
    kr::trace::TraceBuilder builder("t", "kineto-json");
    kr::trace::kineto_json_format.read(input, builder);
    if (std::move(builder).finish().operations.empty()) state.SkipWithError("no operations");
  }
  state.SetBytesProcessed(static_cast<int64_t>(text().size()) * state.iterations());
}

void reader_of_file(benchmark::State& state) {
  const std::string path = file();
  kr::trace::OpenOptions options;
  options.threads = static_cast<unsigned>(state.range(0));
  for (auto _ : state) {
    if (kr::trace::open_trace(path, options).operations.empty())
      state.SkipWithError("no operations");
  }
  state.SetBytesProcessed(static_cast<int64_t>(text().size()) * state.iterations());
}

// Time of the processor beside that of the clock: all threads, whoever else is at work.
void measured(benchmark::internal::Benchmark* task) {
  task->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();
}

BENCHMARK(bare_on_demand)->Apply(measured);
BENCHMARK(bare_on_demand_of_file)->Apply(measured);
BENCHMARK(reader_in_memory)->ArgNames({"threads", "host"})->Args({1, 0})->Apply(measured);
BENCHMARK(reader_in_memory)->ArgNames({"threads", "host"})->Args({0, 0})->Apply(measured);
BENCHMARK(reader_in_memory)->ArgNames({"threads", "host"})->Args({0, 1})->Apply(measured);
BENCHMARK(reader_of_file)->ArgName("threads")->Arg(1)->Arg(0)->Apply(measured);

}  // namespace
