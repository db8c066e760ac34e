// How long proofs take: `kr lint` of every shipped ruleset together, of a table of 600 rules, and
// the comparison of two versions of a ruleset. Programs and databases are loaded once, outside the
// clock of all but the first.
#include "lint/lint.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>

#include "compare/compare.hpp"
#include "lint/lint_files.hpp"
#include "support/source_folder.hpp"

using namespace kr;

namespace {

const source::Library library({test::source_folder()});

/// Six hundred rules over families of kernels, a tenth of them never reached.
std::string large_table() {
  static const char* const families[] = {"gemm", "flash_fwd", "rms_norm", "topk",  "reduce",
                                         "rope", "silu",      "softmax",  "quant", "copy"};
  std::mt19937 random(5);
  std::string text = "engine e {\n  substage {\n";
  for (int i = 0; i < 600; ++i) {
    const char* family = families[random() % std::size(families)];
    const auto shape = static_cast<unsigned>(random() % 512);
    text +=
        fmt::format("    label{}: \"{}_{}_tn\" | /{}_[0-9]+x{}_v[0-9]+/{} & !\"padded_{}\"\n",
                    random() % 40, family, shape, family, shape, random() % 3 == 0 ? "i" : "", i);
  }
  return text + "    rest: otherwise\n  }\n}\n";
}

match::CompiledRules compiled(const std::string& text) {
  diag::Sink sink;
  auto rules = sema::load_rules({{"table.kr", text, true, {}}}, sink);
  if (sink.has_errors()) {
    std::fprintf(stderr, "%s\n", sink.all().front().message.c_str());
    std::abort();
  }
  return lint::compile_for_lint(std::move(rules), false, std::nullopt, sink);
}

void shipped(benchmark::State& state) {
  lint::LintFilesOptions options;
  options.lint.infos = false;
  options.cache =
      match::Database::Cache{std::filesystem::temp_directory_path() / "kr-bench" / "cache"};
  for (auto _ : state) {
    lint::LintedFiles linted = lint::lint_files(library.rulesets(), library, options);
    const bool clean = std::all_of(
        linted.findings.begin(), linted.findings.end(),
        [](const diag::Diagnostic& one) { return one.severity == diag::Severity::info; });
    if (linted.failed || !clean) state.SkipWithError("it does not lint clean");
    benchmark::DoNotOptimize(linted);
  }
}
BENCHMARK(shipped)->Unit(benchmark::kMillisecond);

void table_of_600_rules(benchmark::State& state) {
  const match::CompiledRules rules = compiled(large_table());
  lint::LintOptions options;
  options.infos = false;
  size_t found = 0;
  for (auto _ : state) {
    found = lint::lint_rules(rules, options, diag::Sink()).size();
    benchmark::DoNotOptimize(found);
  }
  state.counters["findings"] = static_cast<double>(found);
}
BENCHMARK(table_of_600_rules)->Unit(benchmark::kMillisecond);

/// A rule of 20,000 texts, none of which lies in another.
void many_alternatives(benchmark::State& state) {
  std::string text = "engine e {\n  substage {\n    label: \"kernel_0_tn\"\n";
  for (int i = 1; i < 20000; ++i) text += fmt::format("      | \"kernel_{}_tn\"\n", i);
  const match::CompiledRules rules = compiled(text + "    rest: otherwise\n  }\n}\n");
  lint::LintOptions options;
  options.infos = false;
  size_t found = 0;
  for (auto _ : state) {
    found = lint::lint_rules(rules, options, diag::Sink()).size();
    benchmark::DoNotOptimize(found);
  }
  state.counters["findings"] = static_cast<double>(found);
}
BENCHMARK(many_alternatives)->Unit(benchmark::kMillisecond);

void two_versions(benchmark::State& state) {
  const std::string text = large_table();
  const match::CompiledRules before = compiled(text);
  std::string other = text;
  other.replace(other.find("gemm_"), 5, "gemv_");
  const match::CompiledRules after = compiled(other);
  size_t changes = 0;
  for (auto _ : state) {
    changes = compare::compare_programs(before.program(), after.program()).changes.size();
    benchmark::DoNotOptimize(changes);
  }
  state.counters["changes"] = static_cast<double>(changes);
}
BENCHMARK(two_versions)->Unit(benchmark::kMillisecond);

}  // namespace
