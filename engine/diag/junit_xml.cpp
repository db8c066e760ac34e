#include "diag/junit_xml.hpp"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace kr::diag
