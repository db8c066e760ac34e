// Findings as JUnit XML. An info is a test case that passes, with the finding as its output. With
// no findings there is one test case that says so: some readers reject a file without test cases.
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
      .lines = concise_line(sources, diagnostic) + '\n' + detail_lines(sources, diagnostic)};
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
                         std::string_view title) {
  std::vector<JunitSuite> suites;  // one per file, in the order of the findings
  std::map<source::FileId, size_t> by_file;
  for (const Diagnostic& diagnostic : diagnostics) {
    const source::FileId file = diagnostic.span.file;
    const auto [at, added] = by_file.try_emplace(file, suites.size());
    if (added) suites.push_back({file.valid() ? sources.path(file) : "kr", {}});
    JunitSuite& suite = suites[at->second];
    suite.cases.push_back(testcase(sources, diagnostic, suite.name));
  }
  if (suites.empty()) {
    JunitCase& none = suites.emplace_back(JunitSuite{"kr", {}}).cases.emplace_back();
    none.classname = "kr";
    none.name = "no findings";
  }
  return junit_xml(title, suites);
}

}  // namespace kr::diag
