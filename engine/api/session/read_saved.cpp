// Saved runs, and the jobs that efficiencies are compared with.
#include <fmt/format.h>

#include <algorithm>

#include "analyze/steps.hpp"
#include "base/error.hpp"
#include "changes/tree_times.hpp"
#include "compute/compute.hpp"
#include "job/extract.hpp"
#include "job/job.hpp"
#include "saved/codec.hpp"
#include "session/session.hpp"
#include "session/state.hpp"

namespace kr::session {

void Session::call_saved(std::string path, std::string name) {
  state_->names_of_saved.insert_or_assign(std::move(path), std::move(name));
}

void Session::read_baseline(const JobSource& source, const Demand& demand) {
  Session job(*state_->source.rules, state_->open, state_->progress, state_->references);
  Demand of_job{.facts = facts::Set::of<analyze::RunSummary, job::Members>()};
  if (facts::closed(demand.facts).has<analyze::StepSums>()) {
    of_job.facts |= facts::Set::of<analyze::StepSums>();
  }
  for (const classify::RunSpec& spec : source.runs) {
    job.read(std::span(&spec, 1), of_job);
  }
  const bool works = std::any_of(job.state_->source.runs.begin(), job.state_->source.runs.end(),
                                 [](const tables::Run& run) { return run.summary.operations > 0; });
  if (!works) {
    throw Error(source.runs.empty() ? source.name : source.runs[0].path,
                "has no GPU work to compare with");
  }
  for (auto& warning : job.state_->warnings) state_->warnings.push_back(std::move(warning));
  state_->source.baselines.push_back({source.name, std::move(job.state_->source.runs)});
}

void Session::read_saved(const classify::RunSpec& spec, const Demand& demand) {
  if (!spec.engine.empty() || !spec.model.empty() || spec.elapsed_ns) {
    throw Error(spec.path, "has the engine, model and elapsed time that it was saved with",
                "name only the file");
  }
  if (!state_->open.window.empty()) {
    throw Error(spec.path, "is a saved run, without the operations that a window chooses from",
                "name the trace");
  }
  saved::Reader file(spec.path);
  const bool trees = file.has_module_trees();
  if (const std::string lacking = demand.beyond_saved(); !lacking.empty() && !trees) {
    throw Error(spec.path, fmt::format("is a saved run, without {}, which this needs", lacking),
                "name the trace; kr report and kr diff read saved runs");
  }
  facts::Set wanted = facts::closed(demand.facts);
  if (trees != wanted.has<trees::LabelledModules>()) {
    throw Error(spec.path,
                trees ? "is a saved run of module trees, without operations"
                      : "is a saved run without module trees",
                trees ? "only kr diff reads it: compare it with another run of module trees"
                      : "save them with `kr tree RUN --save FILE.krun`");
  }
  if (trees && demand.facts.has<tables::Tree>()) {
    throw Error(spec.path, "is a saved run, without the module trees of each step",
                "name the trace; kr diff reads saved runs");
  }
  // Steps and collectives are quickly read, and ranks show more with them.
  wanted |= facts::Set::of<analyze::StepSums, job::Members>();
  if (trees) wanted = facts::Set::of<changes::TreeTimes>();
  const size_t runs = file.runs();
  for (size_t i = 0; i < runs; ++i) {
    saved::SavedRun saved = file.read(i, wanted);
    analyze::RunSummary& summary = saved.summary;
    const auto named = state_->names_of_saved.find(spec.path);
    summary.source = named == state_->names_of_saved.end() ? spec.path : named->second;
    if (runs > 1) summary.source += fmt::format(" ({})", summary.id);
    summary.id = fmt::format("{}_{}_{}_{}", summary.model, summary.engine,
                             trace::trace_stem(spec.path), runs_read());
    for (const Warning& warning : summary.warnings) {
      state_->warnings.emplace_back(summary.source, warning);
    }
    if (trees) {
      state_->source.other_runs.push_back(
          {summary.id, summary.source, summary.format, summary.engine, summary.model,
           summary.choice_why,
           tables::notes_of(summary.id, summary.dropped, summary.inexact, summary.warnings)});
      state_->modules.push_back(nullptr);
      state_->saved_trees.emplace(runs_read() - 1, saved.facts.share<changes::TreeTimes>());
      continue;
    }
    tables::Run& run = state_->source.runs.emplace_back();
    run.summary = std::move(summary);
    run.facts = std::move(saved.facts);
    facts::compute_made_of(wanted, run.summary, run.facts);
    measure(run, nullptr);
  }
}

}  // namespace kr::session
