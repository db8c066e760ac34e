#include "classify/subjects.hpp"

#include <map>
#include <tuple>
#include <unordered_map>

#include "trace/launched.hpp"

namespace kr::classify {

namespace {

template <class Tell>
void each_engine(const sema::Program& program, const ChooseOptions& options, const Tell& tell) {
  for (const sema::Engine& engine : program.engines) {
    if (options.engine.empty() || engine.name == options.engine) tell(engine);
  }
}

}  // namespace

std::vector<sema::ExprId> detection(const sema::Program& program, const ChooseOptions& options) {
  std::vector<sema::ExprId> asked;
  if (!options.engine.empty() && !options.model.empty()) return asked;
  each_engine(program, options, [&](const sema::Engine& engine) {
    asked.push_back(engine.detect);
    for (const sema::ModelId model : engine.models)
      asked.push_back(program.models.get(model).detect);
  });
  return asked;
}

std::vector<sema::ExprId> possible_expressions(const sema::Program& program,
                                               const ChooseOptions& options) {
  std::vector<sema::ExprId> asked = detection(program, options);
  each_engine(program, options, [&](const sema::Engine& engine) {
    for (const sema::ModelId id : engine.models) {
      const sema::Model& model = program.models.get(id);
      if (!options.model.empty() && model.name != options.model) continue;
      for (const sema::Table& table : model.tables) {
        for (const sema::RuleId rule : table.rules) asked.push_back(program.rules.get(rule).expr);
      }
    }
  });
  return asked;
}

TraceSubjects::TraceSubjects(const sema::Program& program,
                             const std::shared_ptr<const match::Database>& database,
                             const trace::Trace& trace, const ChooseOptions& options)
    : program_(&program),
      trace_(&trace),
      matched_(database, program, trace.names),
      contexts_(program, possible_expressions(program, options)),
      pairs_(trace.names.size()) {
  if (trace.host && contexts_.asked()) place(database);
  find_alike();
}

void TraceSubjects::find_alike() {
  std::map<std::tuple<uint32_t, OperationKind, uint32_t>, uint32_t> known;
  alike_.reserve(size());
  for (uint32_t subject = 0; subject < size(); ++subject) {
    const trace::NameId id = name(subject);
    const uint32_t around = placed() ? pairs_[subject].around : EnclosingContexts::nothing;
    const auto [at, added] =
        known.try_emplace({matched_.set_of(id), trace_->names.get(id).kind, around},
                          static_cast<uint32_t>(first_alike_.size()));
    if (added) first_alike_.push_back(subject);
    alike_.push_back(at->second);
  }
}

void TraceSubjects::place(const std::shared_ptr<const match::Database>& database) {
  const trace::HostSide& host = *trace_->host;
  match::Scanner scanner(database);
  match::AtomSet set(program_->atoms.size());
  std::vector<uint32_t> look_of_name;
  look_of_name.reserve(host.range_names.size());
  for (const std::string& name : host.range_names) {
    scanner.scan(name, set);
    look_of_name.push_back(contexts_.look(set));
  }
  of_operation_.assign(trace_->operations.size(), EnclosingContexts::nothing);
  struct Lane {
    trace::RangeEnds ends;
    std::unordered_map<uint32_t, uint32_t> open;  // by look: how many ranges
    uint32_t around = EnclosingContexts::nothing;
  };
  std::vector<Lane> lanes(host.threads.size());
  const auto look_of = [&](uint32_t range) { return look_of_name[host.ranges[range].name]; };
  const auto around = [&](uint32_t number, int64_t time) {
    Lane& lane = lanes[number];
    lane.ends.close_until(time, [&](uint32_t range) {
      const auto at = lane.open.find(look_of(range));
      if (--at->second != 0) return;
      lane.around = contexts_.remove(lane.around, at->first);
      lane.open.erase(at);
    });
    return lane.around;
  };
  trace::sweep_launches(
      host,
      [&](uint32_t number, uint32_t range) {
        Lane& lane = lanes[number];
        lane.ends.open(range, host.ranges[range].end_ns);
        if (lane.open[look_of(range)]++ != 0) return;
        lane.around = contexts_.add(lane.around, look_of(range));
      },
      [&](const trace::SweptLaunch& launch) {
        uint32_t all = around(launch.thread, launch.time);
        if (launch.shared != trace::HostRange::none) {
          all = contexts_.unite(all, around(launch.shared, launch.time));
        }
        for (const uint32_t operation : launch.operations) of_operation_[operation] = all;
      });
  // Numbered as they are met, so that the order of a file never shows.
  for (size_t i = 0; i < of_operation_.size(); ++i) {
    of_operation_[i] = pairs_.number(trace_->operations[i].name, of_operation_[i]);
  }
}

}  // namespace kr::classify
