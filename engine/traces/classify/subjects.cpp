#include "classify/subjects.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <unordered_map>

#include "classify/phases.hpp"
#include "match/costs.hpp"
#include "trace/launched.hpp"
#include "trace/open_op_calls.hpp"

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

/// The framework ops around launches, for `op` and `within op`.
class OpContexts {
 public:
  OpContexts(const sema::Program& program, const trace::HostTrace& host,
             EnclosingContexts& contexts, match::Scanner& scanner)
      : host_(host), contexts_(contexts) {
    if (!contexts.uses_ops() || !host.ops) return;
    const sema::ContextMarks& marks = program.marks;
    match::AtomSet set(program.atoms.size());
    for (const trace::HostOp& op : host.ops->ops) {
      scanner.scan(op.name, set);
      set.add(marks.beside);
      match::AtomSet innermost = set;
      if (marks.op.valid()) set.add(marks.op);
      enclosing_.push_back(contexts.signature(set));
      if (marks.innermost.valid()) innermost.add(marks.innermost);
      for (const sema::ContextMarks::Arguments& one : marks.arguments) {
        if (match::cost_of(one.fits, op.arguments, {})) innermost.add(one.mark);
      }
      innermost_.push_back(contexts.signature(innermost));
    }
    restart();
  }

  /// Times of threads begin anew.
  void restart() {
    if (!enclosing_.empty()) open_.emplace(*host_.ops, host_.threads.size());
  }
  /// `context` with the ops around a time.
  uint32_t add(uint32_t context, uint32_t thread, int64_t time) {
    if (!open_) return context;
    std::optional<uint32_t> innermost;
    for (const uint32_t call : open_->at(thread, time)) {
      const trace::OpCall& one = host_.ops->calls[call];
      if (one.end_ns <= time) continue;
      context = contexts_.add(context, enclosing_[one.op]);
      innermost = one.op;
    }
    return innermost ? contexts_.add(context, innermost_[*innermost]) : context;
  }
  /// The same of the creation of a graph's node, which may be that of a reference.
  uint32_t add_created(uint32_t context, const trace::NodeCreation& creation) {
    if (!open_ || creation.captured == 0) {
      return creation.aligned == 0 ? add(context, creation.thread, creation.time_ns) : context;
    }
    const auto& captured = host_.ops->captured;
    uint32_t at = creation.captured - 1;
    context = contexts_.add(context, innermost_[captured[at].op]);
    for (; at != trace::CapturedCall::none; at = captured[at].outer) {
      context = contexts_.add(context, enclosing_[captured[at].op]);
    }
    return context;
  }

 private:
  const trace::HostTrace& host_;
  EnclosingContexts& contexts_;
  std::optional<trace::OpenOpCalls> open_;
  std::vector<uint32_t> enclosing_;  // by op: the signature of one that encloses a launch
  std::vector<uint32_t> innermost_;
};

/// The phases of the steps around launches, once the model is known: those of the innermost
/// annotation that its `phases` match.
class PhaseContexts {
 public:
  PhaseContexts(const sema::Program& program, const trace::HostTrace& host,
                EnclosingContexts& contexts, const std::shared_ptr<const match::Database>& database,
                const ChooseOptions& options)
      : host_(host), contexts_(contexts) {
    const auto engine = program.engine(options.engine);
    const auto model = engine ? program.model(*engine, options.model) : std::nullopt;
    if (!contexts.uses_phases() || !model) return;
    PhaseReader reader(program, database, *model);
    for (const std::string& name : host.range_names) {
      const Phase phase = reader.read(name);
      uint32_t signature = none;
      if (!phase.label.empty()) {
        match::AtomSet set(program.atoms.size());
        set.add(program.marks.beside);
        for (const auto& [label, mark] : program.marks.phases) {
          if (label == phase.label) set.add(mark);
        }
        signature = contexts.signature(set);
      }
      of_name_.push_back(signature);
    }
  }

  uint32_t add(uint32_t context, uint32_t thread, int64_t time) const {
    if (of_name_.empty()) return context;
    for (const uint32_t lane : {thread, host_.whole_process(thread)}) {
      if (lane == trace::HostRange::none) continue;
      const std::vector<uint32_t> open =
          host_.ranges_at(lane, time, trace::HostRange::Kind::annotation);
      for (auto range = open.rbegin(); range != open.rend(); ++range) {
        const uint32_t signature = of_name_[host_.ranges[*range].name];
        if (signature != none) return contexts_.add(context, signature);
      }
    }
    return context;
  }

 private:
  static constexpr uint32_t none = UINT32_MAX;
  const trace::HostTrace& host_;
  EnclosingContexts& contexts_;
  std::vector<uint32_t> of_name_;  // by range name: the signature of its phase, or `none`
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
        for (size_t i = 0; i < table.rules.size(); ++i) exprs.push_back(table.expr(program, i));
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
  if (trace.host && contexts_.used()) find_contexts(database, options);
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

void TraceSubjects::find_contexts(const std::shared_ptr<const match::Database>& database,
                                  const ChooseOptions& options) {
  const trace::HostTrace& host = *trace_->host;
  match::Scanner scanner(database);
  match::AtomSet set(program_->atoms.size());
  OpContexts ops(*program_, host, contexts_, scanner);
  PhaseContexts phases(*program_, host, contexts_, database, options);
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
        uint32_t& context = of_launch[host.launch_of[*launch.operations.begin()]];
        context = ops.add(launches.at(launch), launch.thread, launch.time);
        context = phases.add(context, launch.thread, launch.time);
      });
  ops.restart();
  // What encloses the creation of a graph's node encloses the node in every launch.
  std::vector<uint32_t> of_creation(host.creations.size());
  OpenContexts creations(host, contexts_, signature_of);
  trace::sweep_creations(
      host, [&](uint32_t lane, uint32_t range) { creations.open(lane, range); },
      [&](uint32_t number, const trace::SweptLaunch& creation) {
        of_creation[number] = ops.add_created(creations.at(creation), host.creations[number]);
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
