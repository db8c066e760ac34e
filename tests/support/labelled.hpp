// A trace of a test with its labels.
#pragma once

#include <memory>

#include "analyze/run.hpp"

namespace kr::test {

/// By the only engine of the rules, called `e`.
inline std::unique_ptr<LabelledTrace> label(const CompiledRules& rules, Trace trace) {
  auto run = std::make_unique<LabelledTrace>();
  run->trace = std::move(trace);
  const ChooseOptions options{"e", "", true};
  const TraceSubjects subjects(rules.program(), rules.database, run->trace, options);
  run->choice = choose_model(rules.database, subjects, options);
  run->labelled = classify(subjects, run->choice.model);
  return run;
}

}  // namespace kr::test
