#include "classify/subjects.hpp"

#include "trace/launched.hpp"

namespace kr {

namespace {

template <class Tell>
void each_engine(const Program& program, const ChooseOptions& options, const Tell& tell) {
  for (const Engine& engine : program.engines) {
    if (options.engine.empty() || engine.name == options.engine) tell(engine);
  }
}

}  // namespace

std::vector<ExprId> detection(const Program& program, const ChooseOptions& options) {
  std::vector<ExprId> asked;
  if (!options.engine.empty() && !options.model.empty()) return asked;
  each_engine(program, options, [&](const Engine& engine) {
    asked.push_back(engine.detect);
    for (const ModelId model : engine.models) asked.push_back(program.models.get(model).detect);
  });
  return asked;
}

std::vector<ExprId> may_be_asked(const Program& program, const ChooseOptions& options) {
  std::vector<ExprId> asked = detection(program, options);
  each_engine(program, options, [&](const Engine& engine) {
    for (const ModelId id : engine.models) {
      const Model& model = program.models.get(id);
      if (!options.model.empty() && model.name != options.model) continue;
      for (const Table& table : model.tables) {
        for (const RuleId rule : table.rules) asked.push_back(program.rules.get(rule).expr);
      }
    }
  });
  return asked;
}

TraceSubjects::TraceSubjects(const Program& program,
                             const std::shared_ptr<const Database>& database, const Trace& trace,
                             const ChooseOptions& options)
    : program_(&program),
      trace_(&trace),
      matched_(database, program, trace.names),
      surroundings_(program, may_be_asked(program, options)),
      pairs_(trace.names.size()) {
  if (trace.host && surroundings_.asked()) place(database);
}

void TraceSubjects::place(const std::shared_ptr<const Database>& database) {
  const HostSide& host = *trace_->host;
  Scanner scanner(database);
  AtomSet set(program_->atoms.size());
  std::vector<uint32_t> look_of_name;
  look_of_name.reserve(host.range_names.size());
  for (const std::string& name : host.range_names) {
    scanner.scan(name, set);
    look_of_name.push_back(surroundings_.look(set));
  }
  of_operation_.assign(trace_->operations.size(), Surroundings::nothing);
  fold_ranges_of_operations(
      host, Surroundings::nothing,
      [&](uint32_t outer, uint32_t range) {
        return surroundings_.add(outer, look_of_name[host.ranges[range].name]);
      },
      [&](uint32_t operation, uint32_t around) { of_operation_[operation] = around; });
  // Numbered as they are met, so that the order of a file never shows.
  for (size_t i = 0; i < of_operation_.size(); ++i) {
    of_operation_[i] = pairs_.number(trace_->operations[i].name, of_operation_[i]);
  }
}

}  // namespace kr
