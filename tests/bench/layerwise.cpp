// A layer-wise profile of 2,500 steps (about 250 MB with `indent=2`, as vLLM writes it, or on one
// line) to a ModuleTrace.
//
// Contenders: simdjson over the same bytes, already in memory, doing nothing with them (a whole
// document, as its parsers need it), the pull parser doing nothing, the reader, and the reader
// where it reads the larger table of single calls.
#include <benchmark/benchmark.h>
#include <simdjson.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>

#include "support/layerwise_writer.hpp"
#include "trace/format.hpp"
#include "trace/readers/json_pull.hpp"

namespace {

constexpr int steps = 2500;

enum Form { pretty, compact };

const std::string& file(int64_t form) {
  static std::map<int64_t, std::string> made;
  std::string& path = made[form];
  if (!path.empty()) return path;
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "kr-bench";
  fs::create_directories(folder);
  path = (folder / (form == pretty ? "layerwise.json" : "layerwise.compact.json")).string();
  std::ofstream out(path, std::ios::binary);
  kr::test::ModelDescription model;
  model.layers = 8;
  kr::test::ProfileForm as;
  as.pretty = form == pretty;
  as.decodes = steps - 1;
  kr::test::ProfileWriter(model, as, [&](std::string_view text) { out << text; }).write();
  return path;
}

void set_bytes(benchmark::State& state) {
  state.SetBytesProcessed(static_cast<int64_t>(std::filesystem::file_size(file(state.range(0)))) *
                          state.iterations());
}

void simdjson_dom(benchmark::State& state) {
  const simdjson::padded_string text = simdjson::padded_string::load(file(state.range(0))).value();
  simdjson::dom::parser parser;
  for (auto _ : state) {
    simdjson::dom::element whole;
    if (parser.parse(text).get(whole) != simdjson::SUCCESS) state.SkipWithError("no JSON");
  }
  set_bytes(state);
}

size_t walk(simdjson::ondemand::value value) {
  namespace od = simdjson::ondemand;
  size_t count = 1;
  switch (value.type().value()) {
    case od::json_type::object:
      for (auto field : value.get_object()) count += walk(field.value());
      break;
    case od::json_type::array:
      for (auto item : value.get_array()) count += walk(item.value());
      break;
    case od::json_type::string:
      benchmark::DoNotOptimize(value.get_string().value());
      break;
    case od::json_type::number:
      benchmark::DoNotOptimize(value.raw_json_token());
      break;
    default:
      break;
  }
  return count;
}

void simdjson_on_demand(benchmark::State& state) {
  const simdjson::padded_string text = simdjson::padded_string::load(file(state.range(0))).value();
  simdjson::ondemand::parser parser;
  for (auto _ : state) {
    auto document = parser.iterate(text);
    benchmark::DoNotOptimize(walk(document.get_value().value()));
  }
  set_bytes(state);
}

void pull_parser(benchmark::State& state) {
  for (auto _ : state) {
    const kr::trace::OpenOptions options;
    kr::trace::Input input(file(state.range(0)), options);
    kr::trace::JsonPull json(input);
    json.pass();
    json.end();
  }
  set_bytes(state);
}

void read_table(benchmark::State& state, bool each_call) {
  for (auto _ : state) {
    const kr::trace::OpenOptions options{.each_call = each_call};
    kr::trace::Input input(file(state.range(0)), options);
    kr::trace::ModuleTraceBuilder builder("bench", "layerwise-json");
    kr::trace::layerwise_json_format.read_modules(input, builder);
    const kr::trace::ModuleTrace trace = std::move(builder).finish();
    if (trace.steps.size() != steps) state.SkipWithError("steps are missing");
  }
  set_bytes(state);
}

void reader(benchmark::State& state) {
  read_table(state, false);
}

void reader_of_single_calls(benchmark::State& state) {
  read_table(state, true);
}

void measured(benchmark::internal::Benchmark* task) {
  task->Unit(benchmark::kMillisecond)->ArgName("compact")->Arg(pretty)->Arg(compact);
}

BENCHMARK(simdjson_dom)->Apply(measured);
BENCHMARK(simdjson_on_demand)->Apply(measured);
BENCHMARK(pull_parser)->Apply(measured);
BENCHMARK(reader)->Apply(measured);
BENCHMARK(reader_of_single_calls)->Apply(measured);

}  // namespace
