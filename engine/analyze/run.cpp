#include "analyze/run.hpp"

#include <fmt/format.h>

#include "modules/from_trace.hpp"

namespace kr {

std::unique_ptr<LabelledTrace> label_run(const CompiledRules& rules, const RunSpec& spec,
                                         const OpenOptions& options) {
  return label_trace(rules, spec, open_trace(spec.path, options));
}

std::unique_ptr<LabelledTrace> label_trace(const CompiledRules& rules, const RunSpec& spec,
                                           Trace trace) {
  auto run = std::make_unique<LabelledTrace>();
  run->trace = std::move(trace);
  const Program& program = rules.program();
  const MatchedNames matched(rules.database, program, run->trace.names);
  run->choice = choose_model(program, rules.database, run->trace, matched,
                             {spec.engine, spec.model, rules.named});
  run->labelled = classify(program, matched, run->trace, run->choice.model);
  return run;
}

std::unique_ptr<LabelledModules> read_modules(const CompiledRules& rules, const RunSpec& spec,
                                              OpenOptions options) {
  options.host_side = true;
  Opened opened = open_any(spec.path, options);
  if (opened.modules) return label_modules(rules, spec, std::move(*opened.modules));
  const Program& program = rules.program();
  const Trace& trace = *opened.trace;
  const MatchedNames matched(rules.database, program, trace.names);
  const Choice choice =
      choose_model(program, rules.database, trace, matched, {spec.engine, spec.model, rules.named});
  const Attribution attribution = attribute(trace, program, rules.database, choice.model);
  RunSpec chosen = spec;
  const Model& model = program.models.get(choice.model);
  chosen.engine = program.engines.get(model.engine).name;
  chosen.model = model.name;
  auto modules = label_modules(rules, chosen, modules_of(trace, attribution));
  modules->choice.why = choice.why;
  modules->attribution = sum(trace, attribution);
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
