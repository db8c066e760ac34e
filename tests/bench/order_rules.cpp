// Chains over a long sequence of layers of a transformer: 10 M operations, 22 chains.
#include "support/order_rules.hpp"

#include <benchmark/benchmark.h>

#include <random>

namespace {

using namespace kr;

// g gemm, n norm, r rope, k kv_cache, t attention, a activation, s softmax, m moe_gemm, o
// moe_routing, b backward, l linear attention, e embedding, x passed over.
constexpr std::string_view chains =
    "b > [g+], [g+] > b, n > [g] > s > z, [g] > s > g, g > s > [g], g > s > g > [g], t > [g], "
    "n > [g+] > l, l > n? > [g], ng > [g] > as? > o, g > n+ > [g+] > a > g, t > g > [g] > a > g, "
    "g > n* > g > a > [g] > g > ng, g > n* > g > a > g? > [g], "
    "n > gn* > [g] > gn* > r* > k* > t, n > [g+] > g > s > g, o > [m], m > a? > [m], "
    "n > [g] > pe$, n > ng > [g] > g? > r* > t, o > m* > [g] > a > g, o > ga* > [m] > a? > m";

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

void label(benchmark::State& state, std::string_view layer) {
  const order::Matcher matcher(test::block(chains, "x"));
  const std::vector<order::Letter> sequence = layers(10'000'000, layer);
  std::vector<uint32_t> rule_of;
  for (auto _ : state) matcher.label(sequence, rule_of);
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()) * 10'000'000);
}

// Of a dense model most chains are skipped; the other sequence has what each chain requires.
BENCHMARK_CAPTURE(label, dense, "ngrktgngag")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(label, all_chains, "ngrktgngagnomamngsgglgbgzpe")->Unit(benchmark::kMillisecond);

}  // namespace
