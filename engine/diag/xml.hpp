// Text in XML 1.0, which cannot express control bytes, and JUnit files.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kr::diag {

/// `text` as the content of an element or attribute. Unprintable bytes, line breaks and tabs become
/// `\xNN`, as `printable` writes them; `&`, `<`, `>`, `"` and `'` become entities.
std::string xml_text(std::string_view text);

/// The same, but line breaks stay: only for the content of an element.
std::string xml_lines(std::string_view text);

struct JunitSuite {
  std::string name;
  size_t tests = 0;
  size_t failures = 0;
  std::string cases;  // its <testcase> elements
};

/// A whole JUnit file.
std::string junit_file(std::string_view title, std::span<const JunitSuite> suites);

}  // namespace kr::diag
