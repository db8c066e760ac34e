#include "session/session.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.hpp"
#include "session/progress.hpp"

namespace kr::session {
namespace {

/// A name that no node has folds nothing, which looks like a fold that changes nothing. `compat`
/// has names of its own, which few models have.
std::vector<std::string> unknown_folds(const trace::ModuleTrace& trace,
                                       const trees::ViewOptions& options) {
  std::vector<std::string> folds = options.folds;
  if (folds.empty() || options.compat) return {};
  std::vector<std::string> names;
  for (const trace::OperationName& name : trace.names) {
    std::erase(folds, name.text);
    names.emplace_back(name.text);
  }
  for (std::string& fold : folds) {
    const auto near = nearest(fold, names);
    fold = fmt::format("no node is named `{}`{}", fold,
                       near ? fmt::format("; did you mean `{}`?", *near) : "");
  }
  return folds;
}

}  // namespace

Wants Wants::of(std::span<const tables::Definition* const> wanted) {
  Wants wants;
  for (const tables::Definition* one : wanted) {
    wants.sums |= one->needs == tables::Needs::runs;
    wants.statistics |= one->needs == tables::Needs::statistics;
    wants.operations |= one->needs == tables::Needs::operations;
    wants.modules |= one->needs == tables::Needs::tree;
  }
  wants.host_trace = wants.statistics || wants.operations;
  wants.sums |= wants.host_trace;
  return wants;
}

void Wants::add(const Wants& other) noexcept {
  sums |= other.sums;
  statistics |= other.statistics;
  operations |= other.operations;
  host_trace |= other.host_trace;
  modules |= other.modules;
  if (other.measured) measured = other.measured;
}

Session::Session(const match::CompiledRules& rules, trace::OpenOptions open, ProgressCall progress)
    : open_(std::move(open)), progress_(std::move(progress)), rulesets_{rules.rules.get()} {
  source_.rules = &rules;
  source_.rulesets = &rulesets_;
}

Session::~Session() = default;

void Session::read(std::span<const classify::RunSpec> specs, const Wants& wants,
                   const Visit& visit) {
  if (wants.measured) dimension_ = wants.measured;
  for (const classify::RunSpec& spec : specs) read_one(spec, wants, visit);
}

/// Calls `open`, and the user's function as long as it works.
void Session::watched(const classify::RunSpec& spec, trace::OpenOptions options,
                      const Open& open) const {
  trace::Progress progress;
  options.progress = &progress;
  std::exception_ptr failure;
  std::optional<ProgressCalls> calls;
  if (progress_) {
    calls.emplace([&] { progress_(spec, progress.done.load(), progress.total.load()); }, failure);
  }
  open(options);
  calls.reset();
  if (failure) std::rethrow_exception(failure);
}

/// Of a run without sums.
template <class Trace>
void Session::add_head(const Trace& trace, const classify::Choice& choice, const std::string& id) {
  const sema::Program& program = source_.rules->program();
  const sema::Model& model = program.models.get(choice.model);
  source_.other_runs.push_back({id, trace.source, trace.format,
                                program.engines.get(model.engine).name, model.name, choice.why,
                                tables::notes_of(id, trace.losses, "", trace.warnings)});
  for (const Warning& warning : trace.warnings) warnings_.emplace_back(trace.source, warning);
}

void Session::read_one(const classify::RunSpec& spec, const Wants& wants, const Visit& visit) {
  const match::CompiledRules& rules = *source_.rules;
  trace::OpenOptions options = open_;
  options.host =
      wants.host_trace || wants.modules ? trace::HostDetail::all : trace::HostDetail::none;
  analyze::LabelledOrModules opened;
  watched(spec, options, [&](const trace::OpenOptions& as) {
    opened = analyze::label_run(rules, spec, as, !wants.sums);
  });
  const bool is_modules = opened.modules.has_value();
  std::unique_ptr<analyze::LabelledTrace> run = std::move(opened.labelled);
  std::unique_ptr<trees::LabelledModules> modules;
  if (is_modules) {
    modules = trees::label_modules(rules, spec, std::move(*opened.modules));
  } else if (wants.modules) {
    modules = analyze::modules_of_run(rules, spec, *run);
  }
  const sema::ModelId model = is_modules ? modules->choice.model : run->choice.model;
  const size_t index = source_.runs.size() + source_.other_runs.size();
  const std::string id = analyze::run_id(rules.program(), model, spec.path, index);
  std::optional<analyze::RunSummary> summary;
  if (!is_modules && (wants.sums || wants.measured)) {
    summary = analyze::summarize_run(rules, spec, index, *run);
  }
  if (wants.measured) {
    measured_.push_back(is_modules
                            ? coverage::measure_run(rules, *wants.measured, *modules, id)
                            : coverage::measure_run(rules, *wants.measured, model, *summary));
  }
  if (wants.sums) {
    add_run(std::move(*summary), std::move(run), index, wants, visit);
  } else if (modules != nullptr) {
    add_head(modules->trace, modules->choice, id);
  } else {
    add_head(run->trace, run->choice, id);
  }
  if (wants.modules) modules_.push_back(std::move(modules));
}

void Session::add_run(analyze::RunSummary summary, std::unique_ptr<analyze::LabelledTrace> run,
                      size_t index, const Wants& wants, const Visit& visit) {
  tables::Run one;
  one.summary = std::move(summary);
  for (const Warning& warning : one.summary.warnings) {
    warnings_.emplace_back(one.summary.source, warning);
  }
  if (wants.statistics) {
    int64_t idle_ns = 0;
    for (const analyze::DeviceSum& device : one.summary.devices) idle_ns += device.idle_ns;
    one.statistics = analyze::analyze(*source_.rules, *run, idle_ns);
  }
  if (visit) visit(*run, one.summary, index);
  if (wants.operations) one.trace = std::move(run);
  source_.runs.push_back(std::move(one));
}

void Session::share_runs(const Session& other) {
  source_.runs = other.source_.runs;
  source_.other_runs = other.source_.other_runs;
  warnings_ = other.warnings_;
  modules_ = other.modules_;
  dimension_ = other.dimension_;
  measured_ = other.measured_;
}

const coverage::TimeCoverage& Session::cover(size_t most) {
  coverage_ = coverage::cover(*source_.rules, *dimension_, measured_, most);
  source_.coverage = &*coverage_;
  return *coverage_;
}

void Session::show_tree(const trees::ViewOptions& options) {
  const trees::LabelledModules& run = modules(0);
  const sema::Program& program = source_.rules->program();
  const sema::Model& model = program.models.get(run.choice.model);
  view_.emplace(*source_.rules, run, options);
  tree_ = {analyze::run_id(program, run.choice.model, run.trace.source, 0),
           program.engines.get(model.engine).name, model.name, &*view_,
           unknown_folds(run.trace, options)};
  source_.tree = &*tree_;
}

}  // namespace kr::session
