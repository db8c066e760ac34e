// Findings as JUnit XML. A finding that is only likely (info) is a testcase that passes, with its
// text as output; where there is no finding one testcase says so, since some readers take a file
// without any for a mistake.
#include <map>

#include "diag/junit_xml.hpp"
#include "diag/renderers.hpp"

namespace kr::diag {
namespace {

JunitCase testcase(const source::SourceMap& sources, const Diagnostic& diagnostic,
                   const std::string& path) {
  JunitCase one{
      .classname = path,
      .name = fmt::format("{} {}", diagnostic.code->id, diagnostic.code->name),
      .file = {},
      .failure = {},
      .message = diagnostic.message,
      .lines = concise_line(sources, diagnostic) + '\n' + remark_lines(sources, diagnostic)};
  if (diagnostic.span.valid()) {
    one.file = path;
    one.line = sources.begin(diagnostic.span).line;
  }
  if (diagnostic.severity == Severity::error || diagnostic.severity == Severity::warning) {
    one.failure = to_string(diagnostic.severity);
  }
  return one;
}

}  // namespace

std::string render_junit(const source::SourceMap& sources, std::span<const Diagnostic> diagnostics,
                         const FormatOptions& options) {
  // A suite a file, in the order in which the files come.
  std::vector<JunitSuite> suites;
  std::map<uint32_t, size_t> by_file;
  for (const Diagnostic& diagnostic : diagnostics) {
    const source::FileId file = diagnostic.span.file;
    const auto [at, added] = by_file.try_emplace(file.index, suites.size());
    if (added) suites.push_back({file.valid() ? sources.path(file) : "kr", {}});
    JunitSuite& suite = suites[at->second];
    suite.cases.push_back(testcase(sources, diagnostic, suite.name));
  }
  if (suites.empty()) {
    JunitCase& none = suites.emplace_back(JunitSuite{"kr", {}}).cases.emplace_back();
    none.classname = "kr";
    none.name = "no findings";
  }
  return junit_xml(options.title, suites);
}

}  // namespace kr::diag
