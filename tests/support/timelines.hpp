// Timelines of traces written down in a test.
#pragma once

#include <memory>
#include <utility>

#include "support/labelled.hpp"
#include "support/rules.hpp"
#include "timeline/timeline.hpp"

namespace kr::test {

struct TimelineOfTrace {
  std::unique_ptr<analyze::LabelledTrace> run;
  analyze::RunSummary summary;
  timeline::Timeline timeline;

  TimelineOfTrace(const match::CompiledRules& rules, trace::Trace trace,
                  const timeline::Limits& limits)
      : run(label(rules, std::move(trace))),
        summary(analyze::summarize(rules, run->trace, run->labelled, {})),
        timeline(timeline::make(rules, *run, summary, limits)) {}
};

}  // namespace kr::test
