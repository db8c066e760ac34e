#include "session/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "analyze/found_phases.hpp"
#include "analyze/health.hpp"
#include "analyze/run.hpp"
#include "base/error.hpp"
#include "compute/compute.hpp"
#include "cost/costed_run.hpp"
#include "cost/rates.hpp"
#include "coverage/suggest.hpp"
#include "job/extract.hpp"
#include "job/nccl_inspector.hpp"
#include "ncu/gpus.hpp"
#include "ncu/joined.hpp"
#include "ncu/measured_peaks.hpp"
#include "saved/codec.hpp"
#include "session/state.hpp"
#include "what_if/what_if.hpp"

namespace kr::session {
namespace {

using facts::Reads;

bool is_pipe(const std::string& path) {
  std::error_code ignored;
  return path == "-" || std::filesystem::is_fifo(path, ignored);
}

}  // namespace

Session::Session(const match::CompiledRules& rules, trace::OpenOptions open, ProgressCall progress,
                 std::vector<std::string> references)
    : state_(std::make_unique<State>()) {
  state_->open = std::move(open);
  state_->progress = std::move(progress);
  state_->references = std::move(references);
  state_->source.rules = &rules;
}

Session::~Session() = default;

tables::Source& Session::source() noexcept {
  return state_->source;
}

const tables::Source& Session::source() const noexcept {
  return state_->source;
}

const std::vector<std::pair<std::string, Warning>>& Session::warnings() const noexcept {
  return state_->warnings;
}

void Session::add_demand(facts::Set facts) noexcept {
  state_->also |= facts;
}

void Session::compare_ranks_with(const job::JobOptions& options) {
  state_->source.job_options = options;
}

size_t Session::files_read() const noexcept {
  return state_->runs_of_file.size();
}

size_t Session::runs_read() const noexcept {
  return state_->source.runs.size() + state_->source.other_runs.size();
}

bool Session::has_modules() const {
  using classify::PlaceEvidence;
  if (state_->modules.empty() || state_->modules[0] == nullptr) return false;
  const std::optional<classify::AttributionSums>& sums = state_->modules[0]->attribution;
  if (!sums) return false;
  return (*sums)[PlaceEvidence::launch].operations > 0 ||
         (*sums)[PlaceEvidence::creation].operations > 0 ||
         (*sums)[PlaceEvidence::annotation].operations > 0 ||
         (*sums)[PlaceEvidence::instance].operations > 0;
}

const trees::LabelledModules& Session::modules(size_t run) const {
  return *state_->modules[run];
}

void Session::read(std::span<const classify::RunSpec> specs, const Demand& wanted,
                   const Visit& visit) {
  Demand demand = wanted;
  if (demand.measured) state_->dimension = demand.measured;
  demand.facts |= state_->also;
  if ((specs.size() > 1 || runs_read() > 0) && demand.facts.has<job::RankMembers>()) {
    demand.facts |= facts::Set::of<job::Members>();
  }
  // A change is made on all ranks, and they wait for each other.
  if (demand.facts.has<what_if::RunReplay>() && !state_->changes.empty()) {
    demand.facts |= facts::Set::of<job::Members>();
    if (state_->changes_need_roof()) demand.reads = demand.reads | Reads::ops;
  }
  demand.facts = facts::closed(demand.facts);
  demand.reads = demand.reads | facts::reads_of(demand.facts);
  for (const classify::RunSpec& spec : specs) {
    const size_t before = runs_read();
    saved::names_saved_run(spec.path) ? read_saved(spec, wanted) : read_one(spec, demand, visit);
    state_->runs_of_file.push_back(runs_read() - before);
  }
  replay_with_changes();
}

/// Of a run without sums.
template <class Trace>
void Session::add_head(const Trace& trace, const classify::Choice& choice, const std::string& id) {
  const sema::Program& program = state_->source.rules->program();
  const sema::Model& model = program.models.get(choice.model);
  state_->source.other_runs.push_back(
      {id, trace.source, trace.format, program.engines.get(model.engine).name, model.name,
       choice.why, tables::notes_of(id, trace.dropped, "", trace.warnings)});
  for (const Warning& warning : trace.warnings)
    state_->warnings.emplace_back(trace.source, warning);
}

void Session::read_one(const classify::RunSpec& spec, const Demand& demand, const Visit& visit) {
  if (spec.elapsed_ns.value_or(0) > 0 && !state_->open.window.empty()) {
    throw Error(spec.path, "the measured time is that of the whole run, not of the window",
                "leave out ELAPSED_SEC");
  }
  const match::CompiledRules& rules = *state_->source.rules;
  const auto options_for = [&](Reads reads) {
    trace::OpenOptions options = state_->open;
    options.host =
        facts::reads(reads, Reads::host) ? trace::HostDetail::all : trace::HostDetail::none;
    options.waits = facts::reads(reads, Reads::waits);
    options.gpu_metrics = facts::reads(reads, Reads::gpu_metrics);
    options.memory = facts::reads(reads, Reads::memory);
    // Pages of ncu have grids and blocks.
    options.operation_details = facts::reads(reads, Reads::details) || state_->ncu_pages != nullptr;
    options.collectives = facts::reads(reads, Reads::collectives);
    options.ops = facts::reads(reads, Reads::ops);
    options.call_sites = facts::reads(reads, Reads::call_sites);
    return options;
  };
  trace::OpenOptions options = options_for(demand.reads);
  std::vector<Warning> notes;
  align::References* const references =
      references_for(spec, demand.facts.has<cost::CostedRun>(), notes);
  // Only what is read shows whether a file has several ranks, which few have: such a file is read
  // again.
  const bool of_ranks = demand.facts.has<job::RankMembers>() && !demand.facts.has<job::Members>();
  Demand of_rank = demand;
  of_rank.facts = facts::closed(demand.facts | facts::Set::of<job::Members>());
  of_rank.reads = demand.reads | facts::reads_of(of_rank.facts);
  const bool read_again = of_ranks && trace::may_open_again(spec.path, options);
  bool has_collectives = false;
  if (of_ranks && !read_again && is_pipe(spec.path)) {
    options = options_for(of_rank.reads);
    has_collectives = true;
  }
  analyze::LabelledOrModules opened;
  const auto open = [&](const trace::OpenOptions& as) {
    opened = analyze::label_run(
        rules, spec, as,
        {.or_modules = !demand.facts.has<analyze::RunSummary>(),
         .range_names = demand.facts.has<analyze::ShownPhases>(),
         .references = references,
         .ordered = demand.facts.has<analyze::RunSummary>() || demand.tree_dimension.has_value(),
         .max_ordered = demand.tree_dimension ? SIZE_MAX : state_->max_ordered});
  };
  watched(spec, options, open);
  if (read_again && opened.labelled.size() > 1) {
    opened = {};
    watched(spec, options_for(of_rank.reads), open);
    has_collectives = true;
  }
  if (opened.modules) {
    add_modules(trees::label_modules(rules, spec, std::move(*opened.modules)), demand, spec);
    return;
  }
  const Demand& of_runs = has_collectives ? of_rank : demand;
  for (std::unique_ptr<analyze::LabelledTrace>& run : opened.labelled) {
    run->trace.warnings.insert(run->trace.warnings.end(), notes.begin(), notes.end());
    add_labelled(std::move(run), of_runs, spec, visit);
  }
}

/// Of a file of module trees.
void Session::add_modules(std::unique_ptr<trees::LabelledModules> modules, const Demand& demand,
                          const classify::RunSpec& spec) {
  const match::CompiledRules& rules = *state_->source.rules;
  if (demand.tree_dimension) {
    throw Error(spec.path,
                fmt::format("`{}` has labels from neighbours, and a file of module trees has no "
                            "order of operations",
                            rules.program().dimensions.get(*demand.tree_dimension).name),
                "name a dimension of names");
  }
  const std::string id =
      analyze::run_id(rules.program(), modules->choice.model, spec.path, runs_read());
  if (demand.measured) {
    state_->measured.push_back(coverage::measure_run(rules, *demand.measured, *modules, id));
  }
  if (modules->trace.costs && modules->trace.costs->has_amounts) {
    auto unused = cost::unused_peaks_note(
        cost::with_measured({state_->gpu, "the profile does not name its GPU"},
                            state_->measured_peaks),
        state_->measured_peaks.get());
    if (unused) modules->trace.warnings.push_back(*std::move(unused));
  }
  add_head(modules->trace, modules->choice, id);
  if (demand.facts.has<trees::LabelledModules>()) state_->modules.push_back(std::move(modules));
}

void Session::add_labelled(std::unique_ptr<analyze::LabelledTrace> run, const Demand& demand,
                           const classify::RunSpec& spec, const Visit& visit) {
  const match::CompiledRules& rules = *state_->source.rules;
  std::unique_ptr<trees::LabelledModules> modules;
  if (demand.facts.has<trees::LabelledModules>())
    modules = analyze::modules_of_run(rules, spec, *run, demand.tree_dimension);
  const sema::ModelId model = run->choice.model;
  const size_t index = runs_read();
  std::optional<analyze::RunSummary> summary;
  const bool sums = demand.facts.has<analyze::RunSummary>();
  if (sums || demand.measured) summary = analyze::summarize_run(rules, spec, index, *run);
  if (demand.measured) {
    state_->measured.push_back(coverage::measure_run(rules, *demand.measured, model, *summary));
  }
  if (sums) {
    add_run(std::move(*summary), std::move(run), index, demand, visit);
  } else if (modules != nullptr) {
    add_head(modules->trace, modules->choice,
             analyze::run_id(rules.program(), model, spec.path, index));
  } else {
    add_head(run->trace, run->choice, analyze::run_id(rules.program(), model, spec.path, index));
  }
  if (demand.facts.has<trees::LabelledModules>()) state_->modules.push_back(std::move(modules));
}

void Session::join_ncu(std::vector<std::string> pages, const ncu::GpuPeaks* gpu) {
  state_->gpu = gpu;
  state_->ncu_paths = std::move(pages);
  if (state_->ncu_paths.empty()) return;
  state_->ncu_pages =
      std::make_shared<trace::Trace>(trace::open_ncu_pages(state_->ncu_paths, state_->open));
}

void Session::join_peaks(const std::string& path) {
  ncu::MeasuredPeaks measured = ncu::read_measured_peaks(path);
  for (const Warning& warning : measured.warnings) state_->warnings.emplace_back(path, warning);
  state_->peaks_warnings = std::move(measured.warnings);
  state_->measured_peaks = std::make_shared<const ncu::GpuPeaks>(std::move(measured.peaks));
}

void Session::look_for_order(std::string_view dimension, bool always) {
  const sema::Program& program = state_->source.rules->program();
  const auto id = program.dimension(dimension);
  for (const sema::Model& model : program.models) {
    always = always || (id && model.order_table(*id) != nullptr);
  }
  if (always) state_->max_ordered = SIZE_MAX;
}

void Session::join_nccl_inspector(const std::string& path) {
  auto inspector = std::make_shared<job::NcclInspector>(job::read_nccl_inspector(path));
  for (const Warning& warning : inspector->warnings) state_->warnings.emplace_back(path, warning);
  state_->source.nccl_inspector = std::move(inspector);
}

void Session::change(const std::vector<std::string>& changes) {
  for (const std::string& text : changes) {
    state_->changes.push_back(what_if::parse_change(text, state_->source.rules->program()));
  }
}

/// `run`: null for a saved one.
void Session::measure(tables::Run& to, const std::shared_ptr<analyze::LabelledTrace>& run) {
  const bool is_itself = run != nullptr && run->trace.ncu != nullptr;
  std::shared_ptr<const trace::Trace> pages = state_->ncu_pages;
  if (is_itself && pages == nullptr) {
    pages = std::shared_ptr<const trace::Trace>(run, &run->trace);
  } else if (is_itself) {
    // The sections of one kernel may be in any of them.
    std::vector<std::string> all{run->trace.source};
    all.insert(all.end(), state_->ncu_paths.begin(), state_->ncu_paths.end());
    pages = std::make_shared<trace::Trace>(trace::open_ncu_pages(all, state_->open));
  }
  if (pages == nullptr) return;
  auto joined = std::make_shared<ncu::Joined>(
      ncu::join(*state_->source.rules, to.summary, pages,
                {.is_itself = is_itself, .gpu = state_->gpu, .labelled = run.get()}));
  const cost::RunGpu gpu =
      run != nullptr ? cost::gpu_of(run->trace, state_->gpu, state_->measured_peaks)
                     : cost::with_measured(cost::RunGpu{state_->gpu, {}}, state_->measured_peaks);
  joined->measured_peaks = gpu.measured;
  std::vector<Warning>& warnings = to.summary.warnings;
  const bool own = run != nullptr && pages.get() == &run->trace;
  for (const Warning& warning : pages->warnings) {
    // The times of the run are its own.
    if (!own && warning.code != "times-in-sequence") warnings.push_back(warning);
  }
  warnings.insert(warnings.end(), joined->warnings.begin(), joined->warnings.end());
  to.facts.set<ncu::Joined>(std::move(joined));
}

void Session::add_run(analyze::RunSummary summary, std::unique_ptr<analyze::LabelledTrace> labelled,
                      size_t index, const Demand& demand, const Visit& visit) {
  tables::Run one;
  one.summary = std::move(summary);
  const std::shared_ptr<analyze::LabelledTrace> run = std::move(labelled);
  measure(one, run);
  const facts::Input input{*state_->source.rules, *run,        one.summary,           one.facts,
                           demand.facts,          state_->gpu, state_->measured_peaks};
  const cost::RunGpu gpu = cost::gpu_of(input);
  auto unused = cost::unused_peaks_note(gpu, state_->measured_peaks.get());
  if (unused) one.summary.warnings.push_back(*std::move(unused));
  facts::compute(input, one.facts);
  std::vector<Warning> notes = facts::notes_of(input);
  std::ranges::move(notes, std::back_inserter(one.summary.warnings));
  const bool replays = demand.facts.has<what_if::RunReplay>();
  const std::string& lost = run->trace.lost_streams;
  if (replays && !lost.empty()) {
    one.facts.set(facts::Computed<what_if::RunReplay>::absent("streams are not known: " + lost));
  } else if (replays && state_->changes.empty()) {
    replay_alone(one, *run);
  }
  for (const Warning& warning : one.summary.warnings) {
    state_->warnings.emplace_back(one.summary.source, warning);
  }
  // Each run that uses the peaks says what is wrong with them; among the warnings of all it is
  // once.
  if (gpu.measured != nullptr) {
    one.summary.warnings.insert(one.summary.warnings.end(), state_->peaks_warnings.begin(),
                                state_->peaks_warnings.end());
  }
  one.summary.findings = analyze::find_health(input);
  one.facts.set(facts::Computed(analyze::Findings{}));
  if (visit) visit(*run, one.summary, index);
  if (demand.facts.has<analyze::LabelledTrace>()) {
    one.facts.set<analyze::LabelledTrace>(run);
  }
  if (replays && lost.empty() && !state_->changes.empty()) {
    state_->unreplayed.push_back({state_->source.runs.size(), run});
  }
  state_->source.runs.push_back(std::move(one));
}

void Session::share_runs(const Session& other) {
  state_->source.runs = other.state_->source.runs;
  state_->source.other_runs = other.state_->source.other_runs;
  state_->source.baselines = other.state_->source.baselines;
  state_->warnings = other.state_->warnings;
  state_->runs_of_file = other.state_->runs_of_file;
  state_->modules = other.state_->modules;
  state_->saved_trees = other.state_->saved_trees;
  state_->dimension = other.state_->dimension;
  state_->measured = other.state_->measured;
}

const coverage::TimeCoverage& Session::cover(size_t most) {
  state_->coverage =
      coverage::cover(*state_->source.rules, *state_->dimension, state_->measured, most);
  state_->source.coverage = &*state_->coverage;
  return *state_->coverage;
}

}  // namespace kr::session
