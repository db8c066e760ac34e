#include "session/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "analyze/found_phases.hpp"
#include "analyze/health.hpp"
#include "analyze/identity.hpp"
#include "analyze/run.hpp"
#include "analyze/statistics.hpp"
#include "analyze/streams.hpp"
#include "base/error.hpp"
#include "base/in_parallel.hpp"
#include "base/shared.hpp"
#include "cost/above_peak.hpp"
#include "cost/costed_run.hpp"
#include "cost/rates.hpp"
#include "coverage/suggest.hpp"
#include "job/exchanges.hpp"
#include "job/extract.hpp"
#include "job/member.hpp"
#include "ncu/gpus.hpp"
#include "ncu/joined.hpp"
#include "session/state.hpp"

namespace kr::session {
namespace {

/// Whether finding phases takes much beside the reading. Reading a host trace takes long; without
/// one, it adds half to the time of a report, and twice the memory of the operations.
bool is_large(const trace::Trace& trace) {
  constexpr size_t max_operations = 500'000;
  return !trace.host && trace.operations.size() > max_operations;
}

const Warning no_phases{"no-found-phases",
                        "Phases are not looked for in reports of more than 500,000 operations: "
                        "`kr analyze --tables found_phases` does.",
                        "info"};

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

void Session::want_costs(bool peaks) noexcept {
  state_->want_costs = true;
  state_->want_peaks = peaks;
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

const trees::LabelledModules& Session::modules(size_t run) const {
  return *state_->modules[run];
}

void Session::read(std::span<const classify::RunSpec> specs, const Wants& wants,
                   const Visit& visit) {
  if (wants.measured) state_->dimension = wants.measured;
  if (state_->want_costs && (!wants.costs || (state_->want_peaks && !wants.peaks))) {
    Wants with_costs = wants;
    with_costs.peaks |= state_->want_peaks;
    with_costs.sums = with_costs.costs = with_costs.operations = with_costs.host_trace = true;
    return read(specs, with_costs, visit);
  }
  // A change is made on all ranks, and they wait for each other.
  if (wants.replay && !state_->changes.empty() && !wants.collectives) {
    Wants with_collectives = wants;
    with_collectives.collectives = true;
    return read(specs, with_collectives, visit);
  }
  for (const classify::RunSpec& spec : specs) {
    const size_t before = runs_read();
    changes::names_saved_run(spec.path) ? read_saved(spec, wants) : read_one(spec, wants, visit);
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

void Session::read_one(const classify::RunSpec& spec, const Wants& wants, const Visit& visit) {
  const match::CompiledRules& rules = *state_->source.rules;
  trace::OpenOptions options = state_->open;
  options.host = wants.host_trace || wants.collectives || wants.timeline || wants.modules ||
                         wants.comparison || wants.health
                     ? trace::HostDetail::all
                     : trace::HostDetail::none;
  options.waits = wants.waits;
  options.gpu_metrics = wants.gpu_metrics;
  options.operation_details = wants.details || state_->ncu_pages != nullptr;  // grids and blocks
  options.collectives = wants.collectives;
  options.ops = wants.costs || (wants.replay && state_->changes_need_roof());
  std::vector<Warning> notes;
  align::References* const references = references_for(spec, wants.costs, notes);
  // Only what is read tells whether a file has several ranks, which few have: such a file is read
  // again.
  const bool of_ranks = wants.rank_collectives && !wants.collectives;
  const bool read_again = of_ranks && trace::may_open_again(spec.path, options);
  const auto with_collectives = [](trace::OpenOptions as) {
    as.host = trace::HostDetail::all;
    as.collectives = true;
    return as;
  };
  bool has_collectives = wants.collectives;
  if (of_ranks && !read_again && is_pipe(spec.path)) {
    options = with_collectives(options);
    has_collectives = true;
  }
  analyze::LabelledOrModules opened;
  const auto open = [&](const trace::OpenOptions& as) {
    opened = analyze::label_run(
        rules, spec, as,
        {.or_modules = !wants.sums, .range_names = wants.phases_shown, .references = references});
  };
  watched(spec, options, open);
  if (read_again && opened.labelled.size() > 1) {
    opened = {};
    watched(spec, with_collectives(options), open);
    has_collectives = true;
  }
  if (opened.modules) {
    add_modules(trees::label_modules(rules, spec, std::move(*opened.modules)), wants, spec);
    return;
  }
  Wants of_runs = wants;
  of_runs.collectives = has_collectives;
  for (std::unique_ptr<analyze::LabelledTrace>& run : opened.labelled) {
    run->trace.warnings.insert(run->trace.warnings.end(), notes.begin(), notes.end());
    add_labelled(std::move(run), of_runs, spec, visit);
  }
}

/// Of a file of module trees.
void Session::add_modules(std::unique_ptr<trees::LabelledModules> modules, const Wants& wants,
                          const classify::RunSpec& spec) {
  const match::CompiledRules& rules = *state_->source.rules;
  const std::string id =
      analyze::run_id(rules.program(), modules->choice.model, spec.path, runs_read());
  if (wants.measured) {
    state_->measured.push_back(coverage::measure_run(rules, *wants.measured, *modules, id));
  }
  add_head(modules->trace, modules->choice, id);
  if (wants.modules) state_->modules.push_back(std::move(modules));
}

void Session::add_labelled(std::unique_ptr<analyze::LabelledTrace> run, const Wants& wants,
                           const classify::RunSpec& spec, const Visit& visit) {
  const match::CompiledRules& rules = *state_->source.rules;
  std::unique_ptr<trees::LabelledModules> modules;
  if (wants.modules) modules = analyze::modules_of_run(rules, spec, *run);
  const sema::ModelId model = run->choice.model;
  const size_t index = runs_read();
  std::optional<analyze::RunSummary> summary;
  if (wants.sums || wants.measured) summary = analyze::summarize_run(rules, spec, index, *run);
  if (wants.measured) {
    state_->measured.push_back(coverage::measure_run(rules, *wants.measured, model, *summary));
  }
  if (wants.sums) {
    add_run(std::move(*summary), std::move(run), index, wants, visit);
  } else if (modules != nullptr) {
    add_head(modules->trace, modules->choice,
             analyze::run_id(rules.program(), model, spec.path, index));
  } else {
    add_head(run->trace, run->choice, analyze::run_id(rules.program(), model, spec.path, index));
  }
  if (wants.modules) state_->modules.push_back(std::move(modules));
}

void Session::join_ncu(std::vector<std::string> pages, const ncu::GpuPeaks* gpu) {
  state_->gpu = gpu;
  state_->ncu_paths = std::move(pages);
  if (state_->ncu_paths.empty()) return;
  state_->ncu_pages =
      std::make_shared<trace::Trace>(trace::open_ncu_pages(state_->ncu_paths, state_->open));
}

void Session::change(const std::vector<std::string>& changes) {
  for (const std::string& text : changes) {
    state_->changes.push_back(what_if::parse_change(text, state_->source.rules->program()));
  }
}

cost::RunGpu Session::gpu_of(const analyze::LabelledTrace& run) const {
  if (state_->gpu != nullptr) return {state_->gpu, {}};
  return cost::gpu_of(run.trace);
}

/// Calls above the peak: their costs are wrong.
void Session::note_costs(analyze::RunSummary& to, const cost::CostedRun& costs,
                         const analyze::LabelledTrace& run) const {
  auto note = cost::above_peak_note(costs, *state_->source.rules, run.trace, to.gpu_total_ns);
  if (note) to.warnings.push_back(std::move(*note));
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
  std::vector<Warning>& warnings = to.summary.warnings;
  const bool own = run != nullptr && pages.get() == &run->trace;
  for (const Warning& warning : pages->warnings) {
    // The times of the run are its own.
    if (!own && warning.code != "times-in-sequence") warnings.push_back(warning);
  }
  warnings.insert(warnings.end(), joined->warnings.begin(), joined->warnings.end());
  to.ncu = std::move(joined);
}

void Session::add_run(analyze::RunSummary summary, std::unique_ptr<analyze::LabelledTrace> labelled,
                      size_t index, const Wants& wants, const Visit& visit) {
  tables::Run one;
  one.summary = std::move(summary);
  const std::shared_ptr<analyze::LabelledTrace> run = std::move(labelled);
  measure(one, run);
  const match::CompiledRules& rules = *state_->source.rules;
  if (wants.identity) one.summary.identity = analyze::identify(rules, run->trace);
  // Both read the attribution of a run with a host trace.
  const classify::Attribution* const annotations =
      wants.found_phases && run->trace.host ? &run->attribution(rules) : nullptr;
  // For those who did not ask for them, phases are found only where none are annotated.
  const bool shows_phases =
      !wants.found_phases && wants.phases_shown && !analyze::names_phases(rules, *run);
  const bool finds_phases = wants.found_phases || (shows_phases && !is_large(run->trace));
  if (shows_phases && !finds_phases) one.summary.warnings.push_back(no_phases);
  in_parallel(finds_phases ? 2 : 1, [&](size_t task) {
    if (task == 1) {
      one.found = shared(analyze::find_phases(rules, *run, annotations));
    } else if (wants.statistics || wants.steps || wants.comparison || wants.health) {
      one.statistics = shared(analyze::analyze(rules, *run, one.summary));
    }
  });
  if (wants.costs) {
    const cost::RunGpu gpu = gpu_of(*run);
    one.costs = shared(cost::cost_run(rules, *run, gpu.peaks));
    note_costs(one.summary, *one.costs, *run);
    const bool has_amounts = one.costs->flops_ns > 0 || one.costs->bytes_ns > 0;
    if (wants.peaks && has_amounts) {
      if (auto note = cost::no_peaks_note(gpu, *one.costs)) {
        one.summary.warnings.push_back(std::move(*note));
      }
    }
  }
  if (wants.replay && state_->changes.empty()) replay_alone(one, *run);
  if (wants.collectives) {
    one.members =
        shared(job::members_of(rules, *run, wants.overlap ? &one.summary.devices : nullptr));
    if (auto note = job::lone_exchanges(*one.members)) {
      one.summary.warnings.push_back(std::move(*note));
    }
  }
  if (wants.streams) {
    one.streams = shared(analyze::measure_streams(
        run->trace, run->labelled, analyze::kinds_by_row(rules.program(), run->labelled)));
  }
  if (one.statistics) {
    if (auto warning = analyze::outside_steps(one.statistics->steps, one.summary.gpu_total_ns)) {
      one.summary.warnings.push_back(std::move(*warning));
    }
    if (one.statistics->gpu_metrics) {
      if (auto note = analyze::mixed_samples(*one.statistics->gpu_metrics)) {
        one.summary.warnings.push_back(std::move(*note));
      }
    }
  }
  for (const Warning& warning : one.summary.warnings) {
    state_->warnings.emplace_back(one.summary.source, warning);
  }
  // A warm-up is found in annotated steps, or else in those without annotations.
  if (wants.health && !one.found && one.statistics->steps.steps.empty()) {
    one.found = shared(analyze::find_phases(rules, *run));
  }
  one.summary.findings =
      analyze::find_health(run->trace, one.summary, one.statistics.get(), one.found.get());
  if (visit) visit(*run, one.summary, index);
  if (wants.operations) one.trace = run;
  if (wants.replay && !state_->changes.empty()) {
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
