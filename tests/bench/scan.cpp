// Names a second: the first of some three hundred patterns that holds in a kernel's name, by the
// Scanner, by the project's own automata side by side and one by one, and by std::regex in a loop.
// Before any clock starts the four must give the same answers.
#include <benchmark/benchmark.h>

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "match/scanner.hpp"
#include "regex/nfa.hpp"

using namespace kr;

namespace {

constexpr size_t none = static_cast<size_t>(-1);

/// Pieces that names and patterns of a large ruleset are made of.
const std::vector<std::string> families{"gemm",
                                        "gemv",
                                        "flash_fwd",
                                        "flash_bwd",
                                        "fmha",
                                        "splitKreduce",
                                        "rms_norm",
                                        "layernorm",
                                        "softmax",
                                        "topk",
                                        "elementwise",
                                        "reduce_kernel",
                                        "rotary",
                                        "silu",
                                        "gelu",
                                        "allreduce",
                                        "reduce_scatter",
                                        "all_gather",
                                        "moe_align",
                                        "fused_moe",
                                        "reshape_and_cache",
                                        "copy_blocks",
                                        "embedding",
                                        "cross_device_reduce",
                                        "scaled_fp8_quant",
                                        "dequantize",
                                        "cub",
                                        "radix_sort",
                                        "im2col",
                                        "winograd"};
const std::vector<std::string> variants{"kernel", "v2", "bf16", "fp16", "e4m3",      "sm80",
                                        "sm90",   "tn", "nn",   "warp", "persistent"};

struct Case {
  sema::Program program;
  std::vector<std::string> patterns;  // as ECMAScript reads them too
  std::vector<std::string> names;
};

std::string pick(std::mt19937& random, const std::vector<std::string>& from) {
  return from[random() % from.size()];
}

std::string kernel_name(std::mt19937& random) {
  const std::string family = pick(random, families);
  const std::string number = std::to_string(16U << random() % 5);
  switch (random() % 6) {
    case 0:
      return "ampere_bf16_s16816" + family + "_bf16_" + number + "x" + number +
             "_ldg8_f2f_stages_" + number + "x4_" + pick(random, variants);
    case 1:
      return "void at::native::vectorized_" + family +
             "<4, at::native::CUDAFunctor_add<c10::BFloat16>, at::detail::Array<char*, " + number +
             "ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, at::detail::Array<char*, " +
             number + "ul>)";
    case 2:
      return "void cutlass::Kernel<cutlass_80_tensorop_" + pick(random, variants) + "_s16816" +
             family + "_relu_" + number + "x128_64x3_tn_align8>(cutlass_80_tensorop::Params)";
    case 3:
      return "triton_red_fused_" + family + "_" + pick(random, variants) + "_" + number;
    case 4:
      return "ncclDevKernel_" + family + "_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<" + number +
             "096ul>)";
    default:
      return "void vllm::" + family + "_" + pick(random, variants) + "<__nv_bfloat16, " + number +
             ", 8, false>(__nv_bfloat16*, __nv_bfloat16 const*, float, int, int)";
  }
}

void add_pattern(Case& all, const std::string& pattern) {
  source::SourceMap sources;
  const source::FileId file = sources.add("pattern", pattern);
  diag::Sink sink;
  auto regex = regex::parse(pattern, {file, 0, static_cast<uint32_t>(pattern.size())}, {}, sink);
  KR_CHECK(regex.has_value());
  sema::Atom atom;
  atom.hyperscan = regex::to_hyperscan(*regex);
  atom.regex = std::move(*regex);
  all.program.atoms.add(std::move(atom));
  all.patterns.push_back(pattern);
}

const Case& the_case() {
  static const Case made = [] {
    Case all;
    std::mt19937 random(7);
    for (const std::string& family : families) {
      for (const std::string& variant : variants) {
        switch (all.patterns.size() % 4) {
          case 0:
            add_pattern(all, "^void .*" + family + "_" + variant);
            break;
          case 1:
            add_pattern(all, family + "_\\w*" + variant + "\\b");
            break;
          case 2:
            add_pattern(all, family + "_" + variant + "[0-9]{2}");
            break;
          default:
            add_pattern(all, variant + ".*" + family + "$");
        }
      }
    }
    for (int i = 0; i < 1000; ++i) all.names.push_back(kernel_name(random));
    return all;
  }();
  return made;
}

size_t lowest(const match::AtomSet& set) {
  const auto words = set.words();
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] != 0) return 64 * i + static_cast<size_t>(std::countr_zero(words[i]));
  }
  return none;
}

class WithScanner {
 public:
  explicit WithScanner(const Case& all)
      : set_(all.program.atoms.size()),
        scanner_(match::Database::compile(all.program, std::nullopt)) {}
  size_t first(const std::string& name) {
    scanner_.scan(name, set_);
    return lowest(set_);
  }

 private:
  match::AtomSet set_;
  match::Scanner scanner_;
};

class WithAutomata {
 public:
  explicit WithAutomata(const Case& all) {
    for (const sema::Atom& atom : all.program.atoms) automata_.emplace_back(atom.regex);
  }
  size_t first(const std::string& name) {
    for (size_t i = 0; i < automata_.size(); ++i) {
      if (automata_[i].search(name, scratch_)) return i;
    }
    return none;
  }

 private:
  std::vector<regex::Nfa> automata_;
  regex::Nfa::Scratch scratch_;
};

/// What Hyperscan refuses is searched for so.
class WithDfa {
 public:
  explicit WithDfa(const Case& all)
      : set_(all.program.atoms.size()), scanner_(match::Database::of_automata(all.program)) {}
  size_t first(const std::string& name) {
    scanner_.scan(name, set_);
    return lowest(set_);
  }

 private:
  match::AtomSet set_;
  match::Scanner scanner_;
};

class WithStdRegex {
 public:
  explicit WithStdRegex(const Case& all) {
    for (const std::string& pattern : all.patterns) {
      expressions_.emplace_back(pattern, std::regex::ECMAScript | std::regex::optimize);
    }
  }
  size_t first(const std::string& name) {
    for (size_t i = 0; i < expressions_.size(); ++i) {
      if (std::regex_search(name, expressions_[i])) return i;
    }
    return none;
  }

 private:
  std::vector<std::regex> expressions_;
};

template <class Way>
void scan(benchmark::State& state) {
  const Case& all = the_case();
  Way way(all);
  for (auto _ : state) {
    for (const std::string& name : all.names) benchmark::DoNotOptimize(way.first(name));
  }
  size_t bytes = 0;
  for (const std::string& name : all.names) bytes += name.size();
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(all.names.size()));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(bytes));
}

void compile(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(match::Database::compile(the_case().program, std::nullopt));
  }
}

void deserialize(benchmark::State& state) {
  const sema::Program& program = the_case().program;
  const std::string bytes = match::Database::compile(program, std::nullopt)->serialize();
  for (auto _ : state) benchmark::DoNotOptimize(match::Database::deserialize(program, bytes));
}

BENCHMARK(scan<WithScanner>)->Name("scan/scanner");
BENCHMARK(scan<WithDfa>)->Name("scan/dfa");
BENCHMARK(scan<WithAutomata>)->Name("scan/own_automata")->Unit(benchmark::kMillisecond);
BENCHMARK(scan<WithStdRegex>)->Name("scan/std_regex")->Unit(benchmark::kMillisecond);
BENCHMARK(compile)->Unit(benchmark::kMillisecond);
BENCHMARK(deserialize)->Unit(benchmark::kMicrosecond);

bool answers_agree() {
  const Case& all = the_case();
  WithScanner scanner(all);
  WithDfa dfa(all);
  WithAutomata automata(all);
  WithStdRegex expressions(all);
  size_t held = 0;
  for (const std::string& name : all.names) {
    const size_t answer = scanner.first(name);
    if (answer != none) ++held;
    if (answer == dfa.first(name) && answer == automata.first(name) &&
        answer == expressions.first(name)) {
      continue;
    }
    std::fprintf(stderr, "the answers for `%s` differ\n", name.c_str());
    return false;
  }
  std::fprintf(stderr, "%zu patterns, %zu names, %zu of them matched; all answers agree\n",
               all.patterns.size(), all.names.size(), held);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (!answers_agree()) return EXIT_FAILURE;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return EXIT_FAILURE;
  benchmark::RunSpecifiedBenchmarks();
  return EXIT_SUCCESS;
}
