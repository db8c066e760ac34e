// The labels of a million names: Rules::label_names, of 1,685 distinct names, and of names that are
// all distinct. tests/bench/python_rates.py does the same with kr.classify.
#include <benchmark/benchmark.h>

#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kr/kr.hpp"
#include "support/source_folder.hpp"

namespace {

std::vector<std::string> names(bool distinct) {
  std::ifstream in(kr::test::source_folder() + "/tests/data/names.tsv");
  std::vector<std::string> some;
  std::string line;
  std::getline(in, line);  // titles
  while (std::getline(in, line)) some.push_back(line.substr(0, line.find('\t')));
  if (some.empty()) throw std::runtime_error("there are no names");
  std::vector<std::string> all;
  for (size_t i = 0; i < 1'000'000; ++i) {
    all.push_back(some[i % some.size()]);
    if (distinct) all.back() += "<" + std::to_string(i) + ">";
  }
  return all;
}

void label_names(benchmark::State& state, bool distinct) {
  const kr::Rules rules =
      kr::Rules::load({"vllm"}, {.rules_folder = kr::test::source_folder(), .use_cache = false});
  const std::vector<std::string> all = names(distinct);
  const std::vector<std::string_view> views(all.begin(), all.end());
  for (auto _ : state) {
    benchmark::DoNotOptimize(rules.label_names(views, "substage", "vllm", "llama"));
  }
}
BENCHMARK_CAPTURE(label_names, few, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(label_names, all_distinct, true)->Unit(benchmark::kMillisecond);

}  // namespace
