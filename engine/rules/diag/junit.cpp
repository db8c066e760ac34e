// Findings as JUnit XML. An info is a test case that passes, with the finding as its output. With
// no findings there is one test case that says so: some readers reject a file without test cases.
#include <algorithm>
#include <map>

#include "diag/junit_xml.hpp"
#include "diag/renderers.hpp"
#include "diag/xml.hpp"

namespace kr::diag {
namespace {

std::string case_xml(const JunitCase& one) {
  std::string text = fmt::format("    <testcase classname=\"{}\" name=\"{}\"",
                                 xml_text(one.classname), xml_text(one.name));
  if (!one.file.empty()) {
    text += fmt::format(" file=\"{}\" line=\"{}\"", xml_text(one.file), one.line);
  }
  if (!one.failure.empty()) {
    text += fmt::format(">\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n", one.failure,
                        xml_text(one.message), xml_lines(one.lines));
  } else if (!one.lines.empty()) {
    text += fmt::format(">\n      <system-out>{}</system-out>\n", xml_lines(one.lines));
  } else {
    return text + "/>\n";
  }
  return text + "    </testcase>\n";
}

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

std::string junit_xml(std::string_view title, std::span<const JunitSuite> suites) {
  size_t tests = 0;
  size_t failures = 0;
  std::string all;
  for (const JunitSuite& suite : suites) {
    const auto failed = std::count_if(suite.cases.begin(), suite.cases.end(),
                                      [](const JunitCase& one) { return !one.failure.empty(); });
    tests += suite.cases.size();
    failures += static_cast<size_t>(failed);
    all += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">\n",
                       xml_text(suite.name), suite.cases.size(), failed);
    for (const JunitCase& one : suite.cases) all += case_xml(one);
    all += "  </testsuite>\n";
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"{}\" tests=\"{}\" failures=\"{}\">\n{}</testsuites>\n",
      xml_text(title), tests, failures, all);
}

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
