// Findings as JUnit XML. A finding that is only likely (info) is a testcase that passes, with its
// text as output; where there is no finding one testcase says so, since some readers take a file
// without any for a mistake.
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
  const std::string told =
      xml_lines(concise_line(sources, diagnostic) + '\n' + remark_lines(sources, diagnostic));
  if (fails(diagnostic)) {
    text += fmt::format(">\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
                        to_string(diagnostic.severity), xml_text(diagnostic.message), told);
  } else {
    text += fmt::format(">\n      <system-out>{}</system-out>\n", told);
  }
  return text + "    </testcase>\n";
}

struct Suite {
  std::string path;
  std::string cases;
  size_t tests = 0;
  size_t failures = 0;
};

/// A suite a file, in the order in which the files come.
std::vector<Suite> suites_of(const source::SourceMap& sources,
                             std::span<const Diagnostic> diagnostics) {
  std::vector<Suite> suites;
  std::map<uint32_t, size_t> by_file;
  for (const Diagnostic& diagnostic : diagnostics) {
    const source::FileId file = diagnostic.span.file;
    const auto [at, added] = by_file.try_emplace(file.index, suites.size());
    if (added) suites.push_back({file.valid() ? sources.path(file) : "kr", {}, 0, 0});
    Suite& suite = suites[at->second];
    suite.cases += testcase(sources, diagnostic, suite.path);
    suite.tests += 1;
    suite.failures += fails(diagnostic) ? 1 : 0;
  }
  if (suites.empty()) {
    suites.push_back({"kr", "    <testcase classname=\"kr\" name=\"no findings\"/>\n", 1, 0});
  }
  return suites;
}

}  // namespace

std::string render_junit(const source::SourceMap& sources, std::span<const Diagnostic> diagnostics,
                         const FormatOptions& options) {
  const std::vector<Suite> suites = suites_of(sources, diagnostics);
  size_t tests = 0;
  size_t failures = 0;
  std::string all;
  for (const Suite& suite : suites) {
    tests += suite.tests;
    failures += suite.failures;
    all += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">\n{}  </testsuite>\n",
                       xml_text(suite.path), suite.tests, suite.failures, suite.cases);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"{}\" tests=\"{}\" failures=\"{}\">\n{}</testsuites>\n",
      xml_text(options.title), tests, failures, all);
}

}  // namespace kr::diag
