// The outcomes of tests as text: for a person, as JSON, as JUnit XML.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "testing/coverage.hpp"

namespace kr::testing {

/// What one rules file's tests gave.
struct TestedFile {
  match::CompiledRules rules;
  std::vector<TestOutcome> outcomes;
  std::optional<Coverage> coverage;  // where asked for
};

struct TestCounts {
  size_t tests = 0;   // a test counts once a model
  size_t failed = 0;  // of these
};
TestCounts count(std::span<const TestedFile> files);

/// Failures as diagnostics, what no test reaches, then a line that sums up:
/// `3 of 120 tests failed (2 files)`.
std::string tests_text(std::span<const TestedFile> files, bool color);

/// One object: {"tests","failed","results":[{"file","line","engine","model","kind","name","within",
/// "passed","misses":[{"dimension","expected","actual","rule"}]}]}; where coverage was asked for,
/// "coverage": {"rules","rules_reached","alternatives","alternatives_reached","unreached":[{"file",
/// "line","column","dimension","label","text","test"}]} too.
std::string tests_json(std::span<const TestedFile> files);

/// A `testsuite` a file, a `testcase` a test and model.
std::string tests_junit(std::span<const TestedFile> files);

}  // namespace kr::testing
