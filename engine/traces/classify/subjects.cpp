#include "classify/subjects.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <unordered_map>

#include "trace/launched.hpp"

namespace kr::classify {

namespace {

template <class Call>
void each_engine(const sema::Program& program, const ChooseOptions& options, const Call& call) {
  for (const sema::Engine& engine : program.engines) {
    if (options.engine.empty() || engine.name == options.engine) call(engine);
  }
}

/// The context at launches, as ranges open and end on each lane.
template <class SignatureOf>
class OpenContexts {
 public:
  OpenContexts(const trace::HostTrace& host, EnclosingContexts& contexts,
               const SignatureOf& signature_of)
      : host_(host),
        contexts_(contexts),
        signature_of_(signature_of),
        lanes_(host.threads.size()) {}

  void open(uint32_t number, uint32_t range) {
    Lane& lane = lanes_[number];
    lane.ends.open(range, host_.ranges[range].end_ns);
    if (lane.open[signature_of_(range)]++ != 0) return;
    lane.context = contexts_.add(lane.context, signature_of_(range));
  }
  uint32_t at(const trace::SweptLaunch& launch) {
    const uint32_t own = at(launch.thread, launch.time);
    if (launch.shared == trace::HostRange::none) return own;
    return contexts_.unite(own, at(launch.shared, launch.time));
  }

 private:
  struct Lane {
    trace::RangeEnds ends;
    std::unordered_map<uint32_t, uint32_t> open;  // by signature: the number of ranges
    uint32_t context = EnclosingContexts::none;
  };
  uint32_t at(uint32_t number, int64_t time) {
    Lane& lane = lanes_[number];
    lane.ends.close_until(time, [&](uint32_t range) {
      const auto at = lane.open.find(signature_of_(range));
      if (--at->second != 0) return;
      lane.context = contexts_.remove(lane.context, at->first);
      lane.open.erase(at);
    });
    return lane.context;
  }

  const trace::HostTrace& host_;
  EnclosingContexts& contexts_;
  const SignatureOf& signature_of_;
  std::vector<Lane> lanes_;
};

}  // namespace

std::vector<sema::ExprId> detects_of(const sema::Program& program, const sema::Engine& engine) {
  std::vector<sema::ExprId> detects{engine.detect};
  for (const sema::ModelId model : engine.models) {
    detects.push_back(program.models.get(model).detect);
  }
  std::erase_if(detects, [](sema::ExprId detect) { return !detect.valid(); });
  return detects;
}

std::vector<sema::ExprId> detection(const sema::Program& program, const ChooseOptions& options) {
  std::vector<sema::ExprId> exprs;
  if (!options.engine.empty() && !options.model.empty()) return exprs;
  each_engine(program, options, [&](const sema::Engine& engine) {
    std::ranges::copy(detects_of(program, engine), std::back_inserter(exprs));
  });
  return exprs;
}

bool modules_may_name_model(const sema::Program& program, const ChooseOptions& options) {
  bool any = false;
  if (!options.model.empty()) return any;
  each_engine(program, options, [&](const sema::Engine& engine) {
    any = any || std::any_of(engine.models.begin(), engine.models.end(), [&](sema::ModelId id) {
            return program.models.get(id).detect.valid();
          });
  });
  return any;
}

std::vector<sema::ExprId> possible_expressions(const sema::Program& program,
                                               const ChooseOptions& options) {
  std::vector<sema::ExprId> exprs = detection(program, options);
  each_engine(program, options, [&](const sema::Engine& engine) {
    for (const sema::ModelId id : engine.models) {
      const sema::Model& model = program.models.get(id);
      if (!options.model.empty() && model.name != options.model) continue;
      for (const sema::Table& table : model.tables) {
        for (const sema::RuleId rule : table.rules) exprs.push_back(program.rules.get(rule).expr);
      }
      for (const sema::OrderTable& table : model.order_tables) {
        for (const sema::ExprId expr : sema::expressions_of(program, table)) exprs.push_back(expr);
      }
    }
  });
  return exprs;
}

TraceSubjects::TraceSubjects(const sema::Program& program,
                             const std::shared_ptr<const match::Database>& database,
                             const trace::Trace& trace, const ChooseOptions& options)
    : program_(&program),
      trace_(&trace),
      matched_(database, program, trace.names),
      contexts_(program, possible_expressions(program, options)),
      pairs_(trace.names.size()) {
  if (trace.host && contexts_.used()) find_contexts(database);
  find_classes();
}

void TraceSubjects::find_classes() {
  std::map<std::tuple<uint32_t, OperationKind, uint32_t>, uint32_t> known;
  class_of_.reserve(size());
  for (uint32_t subject = 0; subject < size(); ++subject) {
    const trace::NameId id = name(subject);
    const auto [at, added] =
        known.try_emplace({matched_.set_of(id), trace_->names.get(id).kind, context_of(subject)},
                          static_cast<uint32_t>(first_of_class_.size()));
    if (added) first_of_class_.push_back(subject);
    class_of_.push_back(at->second);
  }
}

void TraceSubjects::find_contexts(const std::shared_ptr<const match::Database>& database) {
  const trace::HostTrace& host = *trace_->host;
  match::Scanner scanner(database);
  match::AtomSet set(program_->atoms.size());
  std::vector<uint32_t> signature_of_name;
  signature_of_name.reserve(host.range_names.size());
  for (const std::string& name : host.range_names) {
    scanner.scan(name, set);
    signature_of_name.push_back(contexts_.signature(set));
  }
  const auto signature_of = [&](uint32_t range) {
    return signature_of_name[host.ranges[range].name];
  };
  std::vector<uint32_t> of_launch(host.launches.size(), EnclosingContexts::none);
  OpenContexts launches(host, contexts_, signature_of);
  trace::sweep_launches(
      host, [&](uint32_t lane, uint32_t range) { launches.open(lane, range); },
      [&](const trace::SweptLaunch& launch) {
        of_launch[host.launch_of[*launch.operations.begin()]] = launches.at(launch);
      });
  // What encloses the creation of a graph's node encloses the node in every launch.
  std::vector<uint32_t> of_creation(host.creations.size());
  OpenContexts creations(host, contexts_, signature_of);
  trace::sweep_creations(
      host, [&](uint32_t lane, uint32_t range) { creations.open(lane, range); },
      [&](uint32_t number, const trace::SweptLaunch& creation) {
        of_creation[number] = creations.at(creation);
      });
  const auto context = [&](size_t operation) {
    const uint32_t launch = host.launch_of[operation];
    const uint32_t creation =
        host.creation_of.empty() ? trace::HostRange::none : host.creation_of[operation];
    const uint32_t launched =
        launch == trace::HostRange::none ? EnclosingContexts::none : of_launch[launch];
    return creation == trace::HostRange::none ? launched
                                              : contexts_.unite(launched, of_creation[creation]);
  };
  const size_t operations = trace_->operations.size();
  const uint32_t first = operations == 0 ? EnclosingContexts::none : context(0);
  size_t same = 0;
  while (same < operations && context(same) == first) ++same;
  if (same == operations) {
    context_of_all_ = first;
    return;
  }
  // Numbered in the order of operations, so that the order of a file has no effect.
  of_operation_.resize(operations);
  for (size_t i = 0; i < operations; ++i) {
    of_operation_[i] = pairs_.number(trace_->operations[i].name, context(i));
  }
}

}  // namespace kr::classify
