// A trace of a test with its labels.
#pragma once

#include <memory>

#include "analyze/run.hpp"

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

/// These facts of a run, each after those that it uses.
template <class... Fact>
facts::Facts facts_of(const match::CompiledRules& rules, const analyze::LabelledTrace& run,
                      const analyze::RunSummary& summary) {
  facts::Facts out;
  const facts::Input input{rules, run, summary, out, facts::Set::of<Fact...>()};
  (out.set(Fact::compute(input)), ...);
  return out;
}
template <class... Fact>
facts::Facts facts_of(const match::CompiledRules& rules, trace::Trace trace) {
  const auto run = label(rules, std::move(trace));
  return facts_of<Fact...>(rules, *run,
                           analyze::summarize(rules, run->trace, run->labelled, std::nullopt));
}

}  // namespace kr::test
