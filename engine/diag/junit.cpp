// Findings as JUnit XML. An info is a test case that passes, with the finding as its output. With
// no findings there is one test case that says so: some readers reject a file without test cases.
#include <map>

#include "diag/renderers.hpp"
#include "diag/xml.hpp"

namespace kr::diag {
namespace {

bool fails(const Diagnostic& diagnostic) {
  return diagnostic.severity == Severity::error || diagnostic.severity == Severity::warning;
}

std::string testcase(const source::SourceMap& sources, const Diagnostic& diagnostic,
                     const std::string& path) {
  std::string text = fmt::format("    <testcase classname=\"{}\" name=\"{} {}\"", xml_text(path),
                                 diagnostic.code->id, diagnostic.code->name);
  if (diagnostic.span.valid()) {
    text += fmt::format(" file=\"{}\" line=\"{}\"", xml_text(path),
                        sources.begin(diagnostic.span).line);
  }
  const std::string report =
      xml_lines(concise_line(sources, diagnostic) + '\n' + detail_lines(sources, diagnostic));
  if (fails(diagnostic)) {
    text += fmt::format(">\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
                        to_string(diagnostic.severity), xml_text(diagnostic.message), report);
  } else {
    text += fmt::format(">\n      <system-out>{}</system-out>\n", report);
  }
  return text + "    </testcase>\n";
}

}  // namespace

std::string render_junit(const source::SourceMap& sources, std::span<const Diagnostic> diagnostics,
                         std::string_view title) {
  std::vector<JunitSuite> suites;  // one per file, in the order of the findings
  std::map<source::FileId, size_t> by_file;
  for (const Diagnostic& diagnostic : diagnostics) {
    const source::FileId file = diagnostic.span.file;
    const auto [at, added] = by_file.try_emplace(file, suites.size());
    if (added) suites.push_back({file.valid() ? sources.path(file) : "kr", 0, 0, {}});
    JunitSuite& suite = suites[at->second];
    suite.cases += testcase(sources, diagnostic, suite.name);
    suite.tests += 1;
    suite.failures += fails(diagnostic) ? 1 : 0;
  }
  if (suites.empty()) {
    suites.push_back({"kr", 1, 0, "    <testcase classname=\"kr\" name=\"no findings\"/>\n"});
  }
  return junit_file(title, suites);
}

}  // namespace kr::diag
