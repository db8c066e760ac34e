// Tests written in rulesets: run, and told as diagnostics.
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
    sema::DimensionId dimension;
    std::string expected;
    std::string actual;                // label given, or `unclassified`
    std::optional<sema::RuleId> rule;  // that gave it; none: unclassified
    source::Span span;                 // of the expectation
  };
  size_t test = 0;  // index into Program::tests
  sema::ModelId model;
  std::vector<sema::RuleId> rules;  // that gave the labels asked for, each once
  std::vector<Miss> misses;         // empty: passed
  bool passed() const noexcept { return misses.empty(); }
};

/// What rules see of a test: its name and context, scanned. `subject()` looks into this object.
struct TestSubject {
  match::AtomSet name;
  OperationKind kind = OperationKind::kernel;
  std::vector<match::AtomSet> within;
  match::Subject subject() const { return {.name = &name, .kind = kind, .within = within}; }
};

/// By index into Program::tests. Needs the database of `rules`. Once `stop`, which may be null, is
/// set by any thread, it throws prove::Stopped.
std::vector<TestSubject> test_subjects(const match::CompiledRules& rules,
                                       const std::atomic<bool>* stop = nullptr);

/// Every test of the Program, in its order, for every model it is for.
///
/// A model without the dimension expected gives `unclassified` in it; `default` alone, which nobody
/// wrote, is not asked for a dimension that the engine itself has no rules for, and a test that
/// asks it for nothing else has no outcome for it.
std::vector<TestOutcome> run_tests(const match::CompiledRules& rules);
/// `subjects` are those of test_subjects.
std::vector<TestOutcome> run_tests(const match::CompiledRules& rules,
                                   std::span<const TestSubject> subjects);

/// Adds a `failing-test` for each miss to `sink`. Models that miss in the same way are told
/// together.
void report_failures(const match::CompiledRules& rules, std::span<const TestOutcome> outcomes,
                     diag::Sink& sink);

}  // namespace kr::testing
