// Runs the tests of rulesets and reports failures as diagnostics.
#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "match/compiled_rules.hpp"
#include "match/condition.hpp"

namespace kr::testing {

/// One test for one model.
struct TestOutcome {
  struct Miss {
    std::string dimension;  // or `flops`, `bytes` of a test of a cost
    std::string expected;
    std::string actual;                // the label, or `unclassified`
    std::optional<sema::RuleId> rule;  // the rule that gave it; none: unclassified
    std::optional<sema::CostId> cost;  // the clause that gave it
    source::Span span;                 // of the expectation
    size_t place = 0;                  // of the operation in a sequence
  };
  size_t test = 0;  // index into Program::tests
  sema::ModelId model;
  std::vector<sema::RuleId> rules;   // the rules that gave the expected dimensions' labels; unique
  std::optional<sema::CostId> cost;  // the clause that fits a test of a cost
  std::vector<Miss> misses;          // empty: passed
  bool passed() const noexcept { return misses.empty(); }
};

/// The scanned name and context of a test. `subject()` refers to this object.
struct TestSubject {
  match::AtomSet name;
  OperationKind kind = OperationKind::kernel;
  std::vector<match::AtomSet> within;
  std::vector<TestSubject> later;  // the operations after it on its stream
  match::Subject subject() const { return {.name = &name, .kind = kind, .within = within}; }
};

/// By index into Program::tests. Needs the database of `rules`. Throws prove::Stopped after any
/// thread sets `stop`, which may be null.
std::vector<TestSubject> test_subjects(const match::CompiledRules& rules,
                                       const std::atomic<bool>* stop = nullptr);

/// Runs every test of the Program for every model of the test, in order.
///
/// A model without an expected dimension gives `unclassified`. But `default`, which is not written
/// in the file, is not tested for dimensions without rules in the engine itself; if a test expects
/// only such dimensions, it has no outcome for `default`.
std::vector<TestOutcome> run_tests(const match::CompiledRules& rules);
/// `subjects` are from test_subjects.
std::vector<TestOutcome> run_tests(const match::CompiledRules& rules,
                                   std::span<const TestSubject> subjects);

/// Adds a `failing-test` for each miss to `sink`. Models that fail in the same way share a
/// diagnostic.
void report_failures(const match::CompiledRules& rules, std::span<const TestOutcome> outcomes,
                     diag::Sink& sink);

}  // namespace kr::testing
