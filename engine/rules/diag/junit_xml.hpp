// JUnit XML, in the form that all readers accept.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kr::diag {

struct JunitCase {
  std::string classname;
  std::string name;
  std::string file;  // empty: none
  uint32_t line = 0;
  std::string failure;  // the kind of failure; empty: the case passes
  std::string message;  // of a failure
  std::string lines;    // of a failure; otherwise its output, which may be empty
};

struct JunitSuite {
  std::string name;
  std::vector<JunitCase> cases;
};

std::string junit_xml(std::string_view title, std::span<const JunitSuite> suites);

}  // namespace kr::diag
