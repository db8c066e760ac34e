// Writes the outcomes of tests: for people, as JSON, as JUnit XML.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "testing/coverage.hpp"

namespace kr::testing {

/// The outcomes of the tests of one rules file.
struct TestedFile {
  match::CompiledRules rules;
  std::vector<TestOutcome> outcomes;
  std::optional<Coverage> coverage;  // if requested
};

struct TestCounts {
  size_t tests = 0;  // a test counts once per model
  size_t failed = 0;
};
TestCounts count(std::span<const TestedFile> files);

/// Failures as diagnostics, unreached rules, then a summary:
/// `3 of 120 tests failed (2 files)`.
std::string tests_text(std::span<const TestedFile> files, bool color);

/// One object: {"tests","failed","results":[{"file","line","engine","model","kind","name","within",
/// "passed","misses":[{"dimension","expected","actual","rule"}]}]}. If coverage was requested, also
/// "coverage": {"rules","rules_reached","alternatives","alternatives_reached","unreached":[{"file",
/// "line","column","dimension","label","text","test"}]}.
std::string tests_json(std::span<const TestedFile> files);

/// One `testsuite` per file, one `testcase` per test and model.
std::string tests_junit(std::span<const TestedFile> files);

}  // namespace kr::testing
