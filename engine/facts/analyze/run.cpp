#include "analyze/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "analyze/windowed.hpp"
#include "base/error.hpp"
#include "classify/step_order.hpp"
#include "classify/why.hpp"
#include "text/numbers.hpp"

namespace kr::analyze {

namespace {

/// Only the rules of the model.
std::vector<sema::ExprId> labelling(const sema::Program& program, sema::ModelId id) {
  const sema::Model& model = program.models.get(id);
  return classify::possible_expressions(
      program, {program.engines.get(model.engine).name, model.name, false});
}

void warn_without_context(const classify::TraceSubjects& subjects, sema::ModelId id,
                          bool has_ranges, trace::Trace& trace) {
  if (has_ranges || classify::needed_context(subjects, id).empty()) return;
  trace.warnings.push_back(
      {"no-context", fmt::format("The rules of {} use `within`, but this {} contains no modules or "
                                 "ranges that enclose operations: no `within` matches.",
                                 subjects.program().title(id), trace.format)});
}

void warn_without_ops(const sema::Program& program, sema::ModelId id,
                      const std::vector<sema::ExprId>& exprs, trace::Trace& trace) {
  const bool known = trace.host && trace.host->ops && !trace.host->ops->ops.empty();
  if (known || !classify::uses_ops(program, exprs)) return;
  trace.warnings.push_back(
      {"no-ops", fmt::format("The rules of {} look at framework ops, but this {} contains none: no "
                             "`op` and no `within op` matches.",
                             program.title(id), trace.format)});
}

classify::ChooseOptions options_of(const match::CompiledRules& rules,
                                   const classify::RunSpec& spec) {
  return {spec.engine, spec.model, rules.named};
}

/// Why there are no labels from neighbours, where the rules would give some.
void note_order(const sema::Program& program, const LabelWants& wants, LabelledTrace& run) {
  if (!wants.ordered) return;
  if (program.models.get(run.choice.model).order_tables.empty()) return;
  if (!run.labelled.no_order.empty()) {
    run.trace.warnings.push_back(
        {"no-order", "There are no labels from neighbours: " + run.labelled.no_order + ".",
         "info"});
  } else if (run.trace.operations.size() > wants.max_ordered) {
    run.trace.warnings.push_back(
        {"no-order",
         fmt::format(
             "Labels from neighbours are not looked for in reports of more than {} "
             "operations: `--by {}` does.",
             text::grouped(static_cast<int64_t>(wants.max_ordered)),
             program.dimensions.get(program.models.get(run.choice.model).order_tables[0].dimension)
                 .name),
         "info"});
  }
}

/// Labels with the trace's host trace, or with only the names of ranges that may enclose
/// operations. Null if the names are not enough: the model or the labels depend on which ranges
/// enclose which operations.
std::unique_ptr<LabelledTrace> label(const match::CompiledRules& rules,
                                     const classify::RunSpec& spec, trace::Trace trace,
                                     const classify::RangeNames* ranges, const LabelWants& wants) {
  auto run = std::make_unique<LabelledTrace>();
  run->trace = std::move(trace);
  const sema::Program& program = rules.program();
  const classify::ChooseOptions choose = options_of(rules, spec);
  const classify::TraceSubjects subjects(program, rules.database, run->trace, choose);
  run->choice = classify::choose_model(
      rules.database, subjects, choose,
      ranges != nullptr ? ranges->sets() : std::span<const match::AtomSet>{});
  const sema::ModelId model = run->choice.model;
  if (!run->choice.certain) return nullptr;
  if (ranges != nullptr) {
    std::vector<sema::ExprId> needed = classify::needed_context(subjects, model);
    if (wants.ordered) {
      for (const sema::OrderTable& table : program.models.get(model).order_tables) {
        std::ranges::copy(sema::expressions_of(program, table), std::back_inserter(needed));
      }
    }
    if (ranges->may_match(needed)) return nullptr;
  }
  const bool few = run->trace.operations.size() <= wants.max_ordered;
  const std::vector<sema::ExprId> exprs = labelling(program, model);
  // The phases of steps are known once the model is.
  std::optional<classify::TraceSubjects> with_phases;
  if (run->trace.host && classify::uses_phase(program, exprs)) {
    const sema::Model& chosen = program.models.get(model);
    with_phases.emplace(
        program, rules.database, run->trace,
        classify::ChooseOptions{program.engines.get(chosen.engine).name, chosen.name, rules.named});
  }
  run->labelled =
      classify::classify(with_phases ? *with_phases : subjects, model, wants.ordered && few);
  warn_without_ops(program, model, exprs, run->trace);
  note_order(program, wants, *run);
  const bool has_ranges = (ranges != nullptr && !ranges->empty()) ||
                          (run->trace.host && run->trace.host->ranges.size() > 0);
  warn_without_context(subjects, model, has_ranges, run->trace);
  return run;
}

/// The same of what is inside a window, with the engine and model of the whole. `place` is called
/// for a trace with a host trace before its labels are final.
std::unique_ptr<LabelledTrace> label_window(const match::CompiledRules& rules,
                                            const classify::RunSpec& spec,
                                            const trace::Window& window, trace::Trace trace,
                                            const classify::RangeNames* ranges,
                                            const LabelWants& wants,
                                            const std::function<void(trace::Trace&)>& place = {}) {
  const size_t warnings = trace.warnings.size();
  std::unique_ptr<LabelledTrace> whole = label(rules, spec, std::move(trace), ranges, {});
  if (whole == nullptr) return nullptr;
  const Inside inside = find_inside(rules, *whole, window);
  trace = std::move(whole->trace);
  trace.warnings.resize(warnings);
  trace::reduce(trace, inside.kept);
  trace.warnings.push_back(inside.note);
  if (place) place(trace);
  const sema::Model& model = rules.program().models.get(whole->choice.model);
  classify::RunSpec chosen = spec;
  chosen.engine = rules.program().engines.get(model.engine).name;
  chosen.model = model.name;
  auto run = label(rules, chosen, std::move(trace), ranges, wants);
  run->choice = whole->choice;
  return run;
}

/// The four shares in one line.
void say_alignment(const std::vector<align::GraphAlignment>& graphs, trace::Trace& trace) {
  if (graphs.empty()) {
    trace.warnings.push_back({"no-graphs",
                              "There is a reference, but no graph launch in the trace whose "
                              "kernels need one.",
                              "info"});
    return;
  }
  int64_t total = 0;
  std::array<int64_t, 4> parts{};
  bool too_long = false;
  for (const align::GraphAlignment& graph : graphs) {
    total += graph.total_ns;
    for (size_t i = 0; i < parts.size(); ++i) parts[i] += graph.parts[i].total_ns;
    too_long = too_long || graph.evidence == align::Evidence::too_long;
  }
  const auto share = [&](align::Agreement how) {
    return text::share(parts[static_cast<size_t>(how)], total);
  };
  const bool nothing = parts[0] == total;
  trace.warnings.push_back(
      {"graph-alignment",
       fmt::format("Kernels of graphs ({}), by the reference: {} % instance, {} % kind, {} % "
                   "within a call, {} % abstain{}.",
                   text::human_time(total), share(align::Agreement::instance),
                   share(align::Agreement::kind), share(align::Agreement::within),
                   share(align::Agreement::abstain),
                   nothing && !too_long
                       ? "; the reference is of another model, or does not name what it launches"
                       : ""),
       nothing ? "warning" : "info"});
  if (too_long) {
    trace.warnings.push_back({"graphs-too-long",
                              "Some graphs are too long to look at all alignments with the "
                              "reference: none of their kernels is placed by it."});
  }
}

}  // namespace

LabelledOrModules label_run(const match::CompiledRules& rules, const classify::RunSpec& spec,
                            trace::OpenOptions options, const LabelWants& wants) {
  LabelledOrModules out;
  const trace::Window window = options.window;
  const auto open = [&] {
    if (!wants.or_modules) return trace::open_traces(spec.path, options);
    trace::Opened opened = trace::open_any(spec.path, options);
    out.modules = std::move(opened.modules);
    if (out.modules && !window.empty()) {
      throw Error(spec.path,
                  "contains module trees without times of operations: no part of it can be chosen",
                  "leave out the window");
    }
    return std::move(opened.traces);
  };
  const bool wants_host = options.host == trace::HostDetail::all;
  const sema::Program& program = rules.program();
  const classify::ChooseOptions choose = options_of(rules, spec);
  const std::vector<sema::ExprId> exprs = classify::possible_expressions(program, choose);
  options.ops = options.ops || classify::uses_ops(program, exprs);
  const bool needs_host = wants.references != nullptr || window.needs_host() ||
                          (!wants_host && classify::uses_within(program, exprs));
  // The names of operations mostly identify the engine. Reading the host trace takes more memory
  // than the operations, and half of their time.
  const bool only_names =
      !wants_host && wants.references == nullptr && !window.needs_host() &&
      (needs_host ? trace::may_open_again(spec.path, options)
                  : wants.range_names || classify::modules_may_name_model(program, choose));
  if (only_names) {
    options.host = trace::HostDetail::range_names;
    bool certain = true;
    for (trace::Trace& trace : open()) {
      classify::RangeNames ranges(program, rules.database, exprs);
      for (const std::string& name : trace.range_names) ranges.add(name);
      auto run = window.empty()
                     ? label(rules, spec, std::move(trace), &ranges, wants)
                     : label_window(rules, spec, window, std::move(trace), &ranges, wants);
      certain = certain && run != nullptr;
      if (!certain) break;
      if (!wants.range_names) run->trace.range_names = {};
      out.labelled.push_back(std::move(run));
    }
    if (certain) return out;
    out.labelled.clear();
  }
  options.host = wants_host || needs_host ? trace::HostDetail::all : trace::HostDetail::none;
  for (trace::Trace& trace : open()) {
    std::vector<align::GraphAlignment> graphs;
    const auto place = [&](trace::Trace& one) {
      if (wants.references == nullptr || !one.host) return;
      graphs = align::place_replays(one, *wants.references);
      say_alignment(graphs, one);
    };
    if (window.empty()) {
      place(trace);
      out.labelled.push_back(label(rules, spec, std::move(trace), nullptr, wants));
    } else {
      out.labelled.push_back(
          label_window(rules, spec, window, std::move(trace), nullptr, wants, place));
    }
    out.labelled.back()->graphs = std::move(graphs);
    trace::Trace& labelled = out.labelled.back()->trace;
    if (wants_host || !labelled.host) continue;
    if (wants.range_names) labelled.range_names = std::move(labelled.host->range_names);
    labelled.host.reset();
  }
  return out;
}

bool names_phases(const match::CompiledRules& rules, const LabelledTrace& run) {
  const sema::ModelId model = run.labelled.model;
  if (rules.program().models.get(model).phases.empty()) return false;
  const std::vector<std::string>& names =
      run.trace.host ? run.trace.host->range_names : run.trace.range_names;
  classify::PhaseReader phases(rules.program(), rules.database, model);
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return !phases.read(name).label.empty(); });
}

namespace {

/// Annotations often have no numbers, and equal texts. The steps of a phase without any number are
/// counted from 0. `annotated`: the number of first steps that are annotations.
void number_steps(trees::LabelledModules& modules, size_t annotated) {
  std::map<std::string_view, bool> numbered;  // by phase
  for (size_t i = 0; i < annotated; ++i) {
    numbered[modules.phases[i].label] |= modules.phases[i].step.has_value();
  }
  std::map<std::string_view, int64_t> next;
  for (size_t i = 0; i < annotated; ++i) {
    classify::Phase& phase = modules.phases[i];
    if (!numbered[phase.label]) phase.step = next[phase.label]++;
  }
}

}  // namespace

std::unique_ptr<trees::LabelledModules> modules_of_run(
    const match::CompiledRules& rules, const classify::RunSpec& spec, const LabelledTrace& run,
    std::optional<sema::DimensionId> order_dimension) {
  const classify::Attribution& attribution = run.attribution(rules);
  const sema::Program& program = rules.program();
  const sema::Model& model = program.models.get(run.choice.model);
  classify::RunSpec chosen = spec;
  chosen.engine = program.engines.get(model.engine).name;
  chosen.model = model.name;
  trees::OperationLabels labels;
  if (order_dimension) {
    labels.dimension = program.dimensions.get(*order_dimension).name;
    if (!run.labelled.no_order.empty()) {
      throw Error(run.trace.source,
                  fmt::format("there are no labels from neighbours (`{}`): {}", labels.dimension,
                              run.labelled.no_order),
                  "name a dimension of names");
    }
    labels.labelled = &run.labelled;
    labels.of = run.labelled.find(*order_dimension);
  }
  auto modules =
      trees::label_modules(rules, chosen, trees::modules_of(run.trace, attribution, labels));
  modules->order_dimension = order_dimension;
  modules->choice.why = run.choice.why;
  modules->attribution = classify::sum(run.trace, attribution);
  modules->layer_evidence = classify::layer_evidence(attribution);
  for (size_t i = 0; i < attribution.steps.size(); ++i) {
    if (attribution.steps[i].outer == classify::Attribution::none) modules->step_ids.push_back(i);
  }
  number_steps(*modules, modules->step_ids.size());
  const classify::StepOrder order(run.trace, attribution);
  classify::StepStarts starts(order, attribution);
  for (size_t i = 0; i < run.trace.operations.size(); ++i) {
    starts.add(i, run.trace.operations[i].start_ns);
  }
  modules->wall_ns.reserve(modules->step_ids.size() + 1);
  for (const size_t step : modules->step_ids) modules->wall_ns.push_back(starts.wall_ns(step));
  modules->step_ids.push_back(attribution.steps.size());  // what is outside steps
  modules->wall_ns.emplace_back();
  return modules;
}

const classify::Attribution& LabelledTrace::attribution(const match::CompiledRules& rules) const {
  std::call_once(attributed_->once, [&] {
    attributed_->attribution =
        classify::attribute(trace, rules.program(), rules.database, labelled.model);
  });
  return attributed_->attribution;
}

TraceLabels::TraceLabels(const match::CompiledRules& rules, const classify::Labelled& labelled)
    : rules_(rules) {
  for (const classify::DimensionLabels& labels : labelled.dimensions) {
    dimensions_.emplace_back(rules.program().dimensions.get(labels.dimension).name, &labels);
  }
}

const classify::LabelResult* TraceLabels::find(std::string_view dimension, uint32_t row) const {
  for (const auto& [known, labels] : dimensions_) {
    if (known == dimension) return &labels->by_row[row];
  }
  return nullptr;
}

std::string TraceLabels::rule(const classify::LabelResult& result) const {
  return result.rule ? classify::rule_place(rules_, *result.rule) : std::string();
}

RunSummary summarize_run(const match::CompiledRules& rules, const classify::RunSpec& spec,
                         size_t index, const LabelledTrace& run) {
  RunSummary summary = summarize(rules, run.trace, run.labelled, spec.elapsed_ns);
  summary.choice_why = run.choice.why;
  summary.graphs = run.graphs;
  summary.id = run_id(rules.program(), run.labelled.model, spec.path, index);
  return summary;
}

std::string run_id(const sema::Program& program, sema::ModelId id, const std::string& path,
                   size_t index) {
  const sema::Model& model = program.models.get(id);
  return fmt::format("{}_{}_{}_{}", model.name, program.engines.get(model.engine).name,
                     trace::trace_stem(path), index);
}

}  // namespace kr::analyze
