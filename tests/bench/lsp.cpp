// From an edit to the findings, as an editor waits for them: other letters at the end of a text of
// a rule, and all that is found then. No text comes twice, so that nothing is known of it.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/file.hpp"
#include "base/json.hpp"
#include "support/lsp_work.hpp"
#include "support/source_folder.hpp"

namespace {

using kr::lsp::Server;

struct Editor {
  explicit Editor(const std::string& ruleset)
      : uri("file://" + test::source_folder() + "/" + ruleset),
        text(kr::read_file(test::source_folder() + "/" + ruleset)) {
    server.receive(
        R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}})");
    server.receive(fmt::format(
        R"({{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{{"textDocument":{{"uri":"{}","version":1,"text":{}}}}}}})",
        uri, kr::json_string(text)));
    findings = published();
  }

  std::string published() {
    std::string all;
    while (server.has_work()) {
      for (const std::string& message : kr::test::work(server)) all = message;
    }
    return all;
  }

  /// Puts letters where others are; none at first.
  void edit(size_t line, size_t column, std::string_view letters) {
    server.receive(fmt::format(
        R"({{"jsonrpc":"2.0","method":"textDocument/didChange","params":{{"textDocument":{{"uri":"{}","version":{}}},"contentChanges":[{{"range":{{"start":{{"line":{},"character":{}}},"end":{{"line":{},"character":{}}}}},"text":"{}"}}]}}}})",
        uri, ++version, line, column, line, column + shown, letters));
    shown = letters.size();
  }

  std::string uri;
  std::string text;
  Server server{kr::source::Library({test::source_folder()}), "0"};
  std::string findings;
  int version = 1;
  size_t shown = 0;  // letters put in
};

/// Two letters, others for each of 676 numbers.
std::string letters(size_t number) {
  return {static_cast<char>('a' + number / 26 % 26), static_cast<char>('a' + number % 26)};
}

void edit_to_findings(benchmark::State& state, const std::string& ruleset,
                      std::string_view needle) {
  Editor editor(ruleset);
  const size_t at = editor.text.find(needle);
  if (at == std::string::npos) return state.SkipWithError("the ruleset has another text now");
  const std::string_view before = std::string_view(editor.text).substr(0, at);
  const auto line = static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
  const size_t column = at - (before.rfind('\n') + 1) + needle.size() - 1;
  size_t edits = 0;
  for (auto _ : state) {
    editor.edit(line, column, letters(edits++));
    std::string findings = editor.published();
    if (findings.empty()) return state.SkipWithError("no findings came");
    benchmark::DoNotOptimize(findings);
  }
}

}  // namespace

BENCHMARK_CAPTURE(edit_to_findings, vllm, "rulesets/vllm.kr", "\"sigmoid_kernel_cuda\"")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(edit_to_findings, gputrc2graph, "rulesets/gputrc2graph.kr", "\"gemm\"")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(edit_to_findings, stdlib_gemm, "stdlib/gemm.kr", "\"splitKreduce\"")
    ->Unit(benchmark::kMillisecond);
