// A trace of a test with its labels.
#pragma once

#include <memory>

#include "analyze/run.hpp"
#include "analyze/statistics.hpp"

namespace kr::test {

/// By the only engine of the rules, called `e`.
inline std::unique_ptr<analyze::LabelledTrace> label(const match::CompiledRules& rules,
                                                     trace::Trace trace) {
  auto run = std::make_unique<analyze::LabelledTrace>();
  run->trace = std::move(trace);
  const classify::ChooseOptions options{"e", "", true};
  const classify::TraceSubjects subjects(rules.program(), rules.database, run->trace, options);
  run->choice = classify::choose_model(rules.database, subjects, options);
  run->labelled = classify::classify(subjects, run->choice.model);
  return run;
}

inline analyze::RunStatistics statistics(const match::CompiledRules& rules, trace::Trace trace) {
  const auto run = label(rules, std::move(trace));
  return analyze::analyze(rules, *run,
                          analyze::summarize(rules, run->trace, run->labelled, std::nullopt));
}

}  // namespace kr::test
