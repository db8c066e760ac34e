// Saved runs, and the jobs that efficiencies are compared with.
#include <algorithm>

#include "analyze/found_phases.hpp"
#include "analyze/health.hpp"
#include "analyze/steps.hpp"
#include "analyze/streams.hpp"
#include "base/error.hpp"
#include "base/shared.hpp"
#include "changes/profile.hpp"
#include "compute/compute.hpp"
#include "job/extract.hpp"
#include "job/job.hpp"
#include "ncu/joined.hpp"
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
  const bool trees = changes::saves_module_trees(spec.path);
  if (demand.beyond_saved() && !trees) {
    throw Error(spec.path, "is a saved run, without operations, which this needs",
                "name the trace; kr report and kr diff read saved runs");
  }
  if (trees != facts::closed(demand.facts).has<trees::LabelledModules>()) {
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
  for (changes::SavedRun& saved : changes::read_saved_runs(spec.path)) {
    const size_t number = runs_read();
    analyze::RunSummary& summary = saved.summary;
    summary.id += fmt::format("_{}", number);  // unique among the runs read
    if (const auto named = state_->names_of_saved.find(spec.path);
        named != state_->names_of_saved.end()) {
      summary.source.replace(0, spec.path.size(), named->second);
    }
    for (const Warning& warning : summary.warnings)
      state_->warnings.emplace_back(summary.source, warning);
    if (trees) {
      state_->source.other_runs.push_back(
          {summary.id, summary.source, summary.format, summary.engine, summary.model,
           summary.choice_why,
           tables::notes_of(summary.id, summary.dropped, summary.inexact, summary.warnings)});
      state_->modules.push_back(nullptr);
      state_->saved_trees.emplace(number, std::move(saved));
      continue;
    }
    tables::Run& run = state_->source.runs.emplace_back();
    run.summary = std::move(summary);
    run.facts.set<changes::Profile>(shared(std::move(saved.profile)));
    run.facts.set<analyze::StepSums>(shared(std::move(saved.steps)));
    run.facts.set<job::Members>(shared(job::Members{std::move(saved.members)}));
    run.facts.set<analyze::StreamUses>(shared(std::move(saved.streams)));
    run.facts.set(facts::Computed(analyze::Findings{}));
    run.facts.set<analyze::RunIdentity>(saved.identity
                                            ? facts::Computed(*std::move(saved.identity))
                                            : facts::Computed<analyze::RunIdentity>::absent(
                                                  "the run was saved without what identifies it"));
    facts::compute_made_of(demand.facts, run.facts);
    measure(run, nullptr);
  }
}

}  // namespace kr::session
