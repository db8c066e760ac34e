// A trace of a test with its labels.
#pragma once

#include <memory>

#include "analyze/run.hpp"
#include "classify/matched_names.hpp"

namespace kr::test {

/// By the only engine of the rules, called `e`.
inline std::unique_ptr<LabelledTrace> label(const CompiledRules& rules, Trace trace) {
  auto run = std::make_unique<LabelledTrace>();
  run->trace = std::move(trace);
  const MatchedNames matched(rules.database, rules.program(), run->trace.names);
  run->choice = choose_model(rules.program(), rules.database, run->trace, matched, {"e", "", true});
  run->labelled = classify(rules.program(), matched, run->trace, run->choice.model);
  return run;
}

}  // namespace kr::test
