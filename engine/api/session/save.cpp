// Runs that are kept without their operations.
#include "analyze/ranks.hpp"
#include "analyze/repeats.hpp"
#include "analyze/steps.hpp"
#include "base/error.hpp"
#include "base/shared.hpp"
#include "changes/tree_times.hpp"
#include "saved/codec.hpp"
#include "session/session.hpp"
#include "tables/tree.hpp"

namespace kr::session {
namespace {

/// Of a run of module trees, a summary has nothing else.
analyze::RunSummary summary_of(const tables::RunHead& head) {
  analyze::RunSummary summary;
  summary.id = head.run;
  summary.format = head.format;
  summary.engine = head.engine;
  summary.model = head.model;
  summary.choice_why = head.why;
  for (const tables::Note& note : head.notes) {
    if (note.code == "dropped-records") {
      summary.dropped.push_back({note.text, static_cast<uint64_t>(note.count.value_or(0)),
                                 static_cast<uint64_t>(note.first_offset.value_or(0))});
    } else if (note.code == "inexact-times") {
      summary.inexact = note.text;
    } else {
      summary.warnings.push_back({note.code, note.text, note.severity});
    }
  }
  return summary;
}

void save_tree(const tables::Source& source, saved::Writer& out) {
  if (source.tree->view->modules().order_dimension) {
    throw Error(source.tree->view->modules().trace.source,
                "trees are saved without labels from neighbours",
                "save the tree without the dimension of order rules");
  }
  facts::Facts facts;
  facts.set<changes::TreeTimes>(
      shared(changes::tree_times_of(*source.rules, source.tree->view->modules())));
  out.add(summary_of(source.other_runs.front()), facts);
}

/// Of very many steps and repeats there is a sample.
template <class Fact>
void take_sample(tables::Run& run) {
  const auto* const fact = run.find<Fact>();
  auto sample = fact != nullptr ? analyze::with_sample(*fact) : std::nullopt;
  if (!sample) return;
  run.facts.set<Fact>(shared(std::move(sample->first)));
  run.summary.warnings.push_back(std::move(sample->second));
}

void save_runs(const tables::Source& source, saved::Writer& out) {
  for (size_t i = 0; i < source.runs.size(); ++i) {
    tables::Run run = source.runs[i];
    // A number that is only the order given means nothing in another order.
    const analyze::RankNumber& rank = source.ranks().runs[i].number;
    run.summary.distributed.rank.reset();
    if (rank.from != analyze::RankNumber::From::order) run.summary.distributed.rank = rank.rank;
    take_sample<analyze::StepSums>(run);
    take_sample<analyze::Repeats>(run);
    out.add(run.summary, run.facts);
  }
}

}  // namespace

void save(const tables::Source& source, const std::string& location, const std::string& path) {
  saved::Writer out(location, path);
  source.tree != nullptr ? save_tree(source, out) : save_runs(source, out);
  out.finish();
}

}  // namespace kr::session
