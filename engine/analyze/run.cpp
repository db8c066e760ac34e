#include "analyze/run.hpp"

#include <fmt/format.h>

#include <map>

#include "modules/from_trace.hpp"

namespace kr {

namespace {

void warn_of_blindness(const Program& program, ModelId id, Trace& trace) {
  const Model& model = program.models.get(id);
  const ChooseOptions chosen{program.engines.get(model.engine).name, model.name, false};
  const bool told = trace.host && trace.host->ranges.size() > 0;
  if (told || trace.operations.empty()) return;
  if (!look_within(program, may_be_asked(program, chosen))) return;
  trace.warnings.push_back(
      fmt::format("The rules of {} look `within`, and this {} tells of no modules or ranges round "
                  "operations: no `within` holds.",
                  program.title(id), trace.format));
}

}  // namespace

bool asks_host_side(const CompiledRules& rules, const RunSpec& spec) {
  return look_within(rules.program(),
                     may_be_asked(rules.program(), {spec.engine, spec.model, rules.named}));
}

std::unique_ptr<LabelledTrace> label_run(const CompiledRules& rules, const RunSpec& spec,
                                         OpenOptions options) {
  const bool wants_host = options.host_side;
  options.host_side = wants_host || asks_host_side(rules, spec);
  auto run = label_trace(rules, spec, open_trace(spec.path, options));
  if (!wants_host) run->trace.host.reset();
  return run;
}

std::unique_ptr<LabelledTrace> label_trace(const CompiledRules& rules, const RunSpec& spec,
                                           Trace trace) {
  auto run = std::make_unique<LabelledTrace>();
  run->trace = std::move(trace);
  const Program& program = rules.program();
  const ChooseOptions choose{spec.engine, spec.model, rules.named};
  const TraceSubjects subjects(program, rules.database, run->trace, choose);
  run->choice = choose_model(rules.database, subjects, choose);
  run->labelled = classify(subjects, run->choice.model);
  warn_of_blindness(program, run->choice.model, run->trace);
  return run;
}

namespace {

/// Annotations seldom have numbers, and many read alike: the steps of a phase in which none has one
/// are counted from 0. `annotated`: so many of the first steps are annotations.
void number_steps(LabelledModules& modules, size_t annotated) {
  std::map<std::string_view, bool> numbered;  // by phase
  for (size_t i = 0; i < annotated; ++i) {
    numbered[modules.phases[i]] |= modules.step_numbers[i].has_value();
  }
  std::map<std::string_view, int64_t> next;
  for (size_t i = 0; i < annotated; ++i) {
    if (!numbered[modules.phases[i]]) modules.step_numbers[i] = next[modules.phases[i]]++;
  }
}

}  // namespace

std::unique_ptr<LabelledModules> read_modules(const CompiledRules& rules, const RunSpec& spec,
                                              OpenOptions options) {
  options.host_side = true;
  Opened opened = open_any(spec.path, options);
  if (opened.modules) return label_modules(rules, spec, std::move(*opened.modules));
  const Program& program = rules.program();
  const Trace& trace = *opened.trace;
  const ChooseOptions choose{spec.engine, spec.model, rules.named};
  const Choice choice =
      choose_model(rules.database, TraceSubjects(program, rules.database, trace, choose), choose);
  const Attribution attribution = attribute(trace, program, rules.database, choice.model);
  RunSpec chosen = spec;
  const Model& model = program.models.get(choice.model);
  chosen.engine = program.engines.get(model.engine).name;
  chosen.model = model.name;
  auto modules = label_modules(rules, chosen, modules_of(trace, attribution));
  modules->choice.why = choice.why;
  modules->attribution = sum(trace, attribution);
  modules->layer_evidence = layer_evidence(attribution);
  number_steps(*modules, attribution.steps.size());
  return modules;
}

RunSummary summarize_run(const CompiledRules& rules, const RunSpec& spec, size_t index,
                         const LabelledTrace& run) {
  RunSummary summary =
      summarize(rules.program(), rules.sources(), run.trace, run.labelled, spec.elapsed_ns);
  summary.choice_why = run.choice.why;
  summary.id = run_name(summary.model, summary.engine, spec.path, index);
  return summary;
}

std::string run_name(std::string_view model, std::string_view engine, const std::string& path,
                     size_t index) {
  return fmt::format("{}_{}_{}_{}", model, engine, run_id(path), index);
}

}  // namespace kr
