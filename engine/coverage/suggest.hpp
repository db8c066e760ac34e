// What rules leave unexplained in several runs, grouped by likeness, each group with a rule to add.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "coverage/measure.hpp"
#include "coverage/rule_place.hpp"

namespace kr::coverage {

/// One unexplained name over all runs that a rule at one place speaks for.
struct UnexplainedName {
  std::string name;
  OperationKind kind = OperationKind::kernel;
  int64_t instances = 0;
  int64_t total_ns = 0;
};

/// Names that one new rule labels: exactly these of all that the runs hold, explained or not, and
/// of those in the rules' tests. What it adds is their time, to the nanosecond.
struct Suggestion {
  std::vector<UnexplainedName> names;  // total falling, then by name; one or more
  int64_t instances = 0;
  int64_t total_ns = 0;
  std::string common_text;  // what the names have in common, for a person: `acme_topk_*`
  std::string label;
  std::vector<std::string> label_words;  // that speak for it; empty: it stands in for one to choose
  std::string rule;                      // `label: expression`; empty for the empty name alone
  std::string test;                      // a whole `test` block, in the one layout
  RulePlace place;
  std::string insert;  // what to put in at the place
  struct InRun {
    size_t run;  // index into TimeCoverage::runs
    int64_t instances;
    int64_t total_ns;
  };
  std::vector<InRun> runs;  // rising
};

/// How much of the runs' time the rules explain.
struct TimeCoverage {
  std::string dimension;
  std::vector<MeasuredRun> runs;
  int64_t explained_ns = 0;  // of all runs
  int64_t total_ns = 0;
  std::vector<Suggestion> unexplained;  // total falling, then by name
  /// What more of them there is than was asked for.
  size_t omitted_groups = 0;
  int64_t omitted_ns = 0;
};

/// `most` suggestions (0: all). Rules are for the models of the runs; what is unexplained under two
/// engines is two suggestions. Deterministic. Throws Error where the sums do not fit.
TimeCoverage cover(const match::CompiledRules& rules, sema::DimensionId dimension,
                   std::vector<MeasuredRun> runs, size_t most);

}  // namespace kr::coverage
