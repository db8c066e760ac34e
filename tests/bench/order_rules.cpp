// Order rules on a long sequence of layers of a transformer: 10 M operations; the chains of the
// tables of parts.
#include "support/order_rules.hpp"

#include <benchmark/benchmark.h>

#include <random>
#include <string>

#include "order/prove.hpp"
#include "support/order_tables.hpp"

namespace {

using namespace kr;

// The letters are those of order_tables.hpp.
std::vector<order::Letter> layers(size_t count, std::string_view layer) {
  std::mt19937 random(1);
  std::vector<order::Letter> sequence;
  while (sequence.size() < count) {
    for (const char c : layer) {
      sequence.push_back(static_cast<order::Letter>(c - 'a'));
      // Other work between the kernels, now and then.
      if (random() % 8 == 0) sequence.push_back('x' - 'a');
    }
  }
  sequence.resize(count);
  return sequence;
}

void label(benchmark::State& state, std::string_view layer, size_t max_states) {
  const std::string chains = std::string(test::moe_chains) + ", " + std::string(test::dense_chains);
  const order::Matcher matcher(test::block(chains, "x"), max_states);
  const std::vector<order::Letter> sequence = layers(10'000'000, layer);
  std::vector<uint32_t> rule_of;
  for (auto _ : state) matcher.label(sequence, rule_of);
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()) * 10'000'000);
}

// Of a dense model most chains are skipped; the other sequence has what each chain requires.
constexpr std::string_view dense_layer = "ngrktgngag";
constexpr std::string_view all_chains = "ngrktgngagnomamngsgglgbgzpe";
BENCHMARK_CAPTURE(label, dense, dense_layer, order::Matcher::max_states)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(label, all_chains, all_chains, order::Matcher::max_states)
    ->Unit(benchmark::kMillisecond);
// Each chain by itself, as for sequences that need too many states.
BENCHMARK_CAPTURE(label, dense_by_chain, dense_layer, 1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(label, all_chains_by_chain, all_chains, 1)->Unit(benchmark::kMillisecond);

void prove(benchmark::State& state) {
  const std::string chains = std::string(test::mla_chains) + ", " + std::string(test::moe_chains) +
                             ", " + std::string(test::dense_chains);
  const order::Block block = test::block(chains, "x");
  for (auto _ : state) benchmark::DoNotOptimize(order::prove(block));
}
BENCHMARK(prove)->Unit(benchmark::kMillisecond);

}  // namespace
