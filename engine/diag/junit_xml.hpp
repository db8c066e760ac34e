// JUnit XML, as far as its readers agree on it.
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
  std::string file;  // empty: it has no place
  uint32_t line = 0;
  std::string failure;  // what sort of failure; empty: it passes
  std::string message;  // of a failure
  std::string lines;    // of a failure; else its output, which may be empty
};

struct JunitSuite {
  std::string name;
  std::vector<JunitCase> cases;
};

std::string junit_xml(std::string_view title, std::span<const JunitSuite> suites);

}  // namespace kr::diag
