#include "cost/costed_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "classify/enclosing_steps.hpp"
#include "cost/above_peak.hpp"
#include "trace/launched.hpp"
#include "trace/open_op_calls.hpp"

namespace kr::cost {
namespace {

class RunCosts {
 public:
  RunCosts(const match::CompiledRules& rules, const analyze::LabelledTrace& run,
           const ncu::GpuPeaks* gpu)
      : rules_(rules),
        run_(run),
        host_(*run.trace.host),
        table_(rules.program(), rules.database, run.choice.model) {
    out_.gpu = gpu;
  }

  CostedRun make() {
    const size_t operations = run_.trace.operations.size();
    out_.call_of.assign(operations, CostedRun::none);
    out_.no_cost.assign(operations, NoCost::no_op);
    out_.unknown_ns.assign(host_.ops->ops.size(), 0);
    out_.unknown_calls.assign(host_.ops->ops.size(), 0);
    find_creations();
    trace::OpenOpCalls open(*host_.ops, host_.threads.size());
    const trace::LaunchedOperations launched(host_);
    std::vector<uint32_t> rest;  // of the launch
    std::vector<Call> around;
    for (size_t i = 0; i < launched.size(); ++i) {
      const uint32_t number = launched.launch(i);
      const trace::Launch& launch = host_.launches[number];
      rest.clear();
      for (const uint32_t operation : launched.operations(i)) {
        if (created(operation, around)) {
          const bool node_of_graph = !host_.creation(operation)->queued;
          take(around, node_of_graph ? number : CostedRun::none, {&operation, 1});
        } else {
          rest.push_back(operation);
        }
      }
      if (rest.empty()) continue;
      enclosing(open.at(launch.thread, launch.start_ns), launch.start_ns, around);
      if (!take(around, CostedRun::none, rest) && is_graph(launch)) {
        for (const uint32_t operation : rest) {
          out_.graph_ns += run_.trace.operations[operation].duration_ns;
          out_.no_cost[operation] = NoCost::graph;
        }
      }
    }
    mark_above_peak(out_, run_.trace);
    add_amounts();
    return std::move(out_);
  }

 private:
  static constexpr uint32_t unfit = UINT32_MAX;

  /// A call of an op: its place in HostOps::calls, or behind these in HostOps::captured.
  struct Call {
    uint32_t place;
    uint32_t op;
  };

  bool is_graph(const trace::Launch& launch) const {
    return host_.calls[launch.call].name.find("GraphLaunch") != std::string::npos;
  }

  /// Those that have not ended, the innermost first.
  void enclosing(const std::vector<uint32_t>& open, int64_t time, std::vector<Call>& out) const {
    out.clear();
    for (auto at = open.rbegin(); at != open.rend(); ++at) {
      const trace::OpCall& call = host_.ops->calls[*at];
      if (call.end_ns > time) out.push_back({*at, call.op});
    }
  }

  /// The calls around creations of nodes that the trace itself recorded.
  void find_creations() {
    if (host_.creation_of.empty()) return;
    trace::OpenOpCalls open(*host_.ops, host_.threads.size());
    around_.resize(host_.creations.size());
    for (size_t i = 0; i < host_.creations.size(); ++i) {
      const trace::NodeCreation& one = host_.creations[i];
      if (one.aligned == 0) enclosing(open.at(one.thread, one.time_ns), one.time_ns, around_[i]);
    }
  }

  /// The calls around the creation of the operation's node; false: they are not known.
  bool created(uint32_t operation, std::vector<Call>& around) const {
    const trace::NodeCreation* const creation = host_.creation(operation);
    if (creation == nullptr) return false;
    around.clear();
    if (creation->captured == 0) {
      around = around_[static_cast<size_t>(creation - host_.creations.begin())];
      return !around.empty();
    }
    const auto behind = static_cast<uint32_t>(host_.ops->calls.size());
    for (uint32_t at = creation->captured - 1; at != trace::CapturedCall::none;
         at = host_.ops->captured[at].outer) {
      around.push_back({behind + at, host_.ops->captured[at].op});
    }
    return true;
  }

  /// `around`: the innermost first. `launch`: of a graph, which calls all of them anew; else none.
  /// False: there are no ops.
  bool take(const std::vector<Call>& around, uint32_t launch,
            std::span<const uint32_t> operations) {
    if (around.empty()) return false;
    bool shapes = false;
    uint32_t call = CostedRun::none;
    for (const Call& one : around) {
      shapes = shapes || !host_.ops->ops[one.op].arguments.empty();
      const uint32_t costed = costed_op(one.op, operations.front());
      if (costed == unfit) continue;
      call = call_number({one.place, launch}, costed, operations.front());
      break;
    }
    for (const uint32_t operation : operations) add(operation, around[0].op, shapes, call);
    return true;
  }

  void add(uint32_t operation, uint32_t innermost, bool shapes, uint32_t number) {
    const int64_t duration = run_.trace.operations[operation].duration_ns;
    out_.op_ns += duration;
    if (shapes) out_.shapes_ns += duration;
    if (number == CostedRun::none) {
      const bool recorded = !host_.ops->ops[innermost].arguments.empty();
      out_.no_cost[operation] = recorded ? NoCost::no_clause : NoCost::no_shapes;
      out_.unknown_ns[innermost] += duration;
      ++out_.unknown_calls[innermost];
      return;
    }
    out_.call_of[operation] = number;
    CostedCall& call = out_.calls[number];
    call.total_ns += duration;
    const int64_t longest = run_.trace.operations[call.longest].duration_ns;
    if (duration > longest || (duration == longest && operation < call.longest)) {
      call.longest = operation;
    }
  }

  /// What operations of costed calls lack, and the time of what is known.
  void add_amounts() {
    for (const CostedCall& call : out_.calls) {
      const match::OpCost& cost = out_.cost(call);
      if (call.above_peak) {
        out_.above_peak_ns += call.total_ns;
        continue;
      }
      if (cost.flops) out_.flops_ns += call.total_ns;
      if (cost.bytes) out_.bytes_ns += call.total_ns;
    }
    for (size_t i = 0; i < out_.call_of.size(); ++i) {
      if (out_.call_of[i] != CostedRun::none)
        out_.no_cost[i] = out_.lacks(out_.calls[out_.call_of[i]]);
    }
  }

  uint32_t call_number(std::pair<uint32_t, uint32_t> place, uint32_t costed, uint32_t operation) {
    const auto [at, added] = numbers_.try_emplace(place, static_cast<uint32_t>(out_.calls.size()));
    if (added) out_.calls.push_back({costed, 0, operation});
    return at->second;
  }

  /// Whether formulas of clauses of this name need numbers of a phase.
  bool needs_phase(const std::string& name) {
    const auto [at, added] = needs_phase_.try_emplace(name, false);
    if (!added) return at->second;
    for (const sema::CostId id : table_.named(name)) {
      for (const sema::CostFormula& formula : rules_.program().costs.get(id).formulas) {
        at->second = at->second || formula.op == sema::CostFormula::Op::phase;
      }
    }
    return at->second;
  }

  uint32_t costed_op(uint32_t op, uint32_t operation) {
    const trace::HostOp& one = host_.ops->ops[op];
    if (table_.named(one.name).empty()) return unfit;
    uint32_t step = classify::Attribution::none;
    if (needs_phase(one.name)) step = run_.attribution(rules_).step_of[operation];
    const auto [at, added] = costed_.try_emplace(std::pair(op, step), unfit);
    if (!added) return at->second;
    const match::PhaseNumbers numbers = [&](std::string_view name) { return number(step, name); };
    const auto found = table_.find(one.name, one.arguments, numbers);
    if (found) {
      at->second = static_cast<uint32_t>(out_.ops.size());
      out_.ops.push_back({op, found->clause, found->cost});
    }
    return at->second;
  }

  /// That of the innermost step that has it.
  std::optional<int64_t> number(uint32_t step, std::string_view name) {
    if (step == classify::Attribution::none) return std::nullopt;
    const auto& steps = run_.attribution(rules_).steps;
    if (!enclosing_) enclosing_.emplace(steps);
    for (const uint32_t at : enclosing_->of(step)) {
      if (const auto value = steps[at].phase.number(name)) return value;
    }
    return std::nullopt;
  }

  const match::CompiledRules& rules_;
  const analyze::LabelledTrace& run_;
  const trace::HostTrace& host_;
  match::CostTable table_;
  std::optional<classify::EnclosingSteps> enclosing_;  // of the run, once a formula needs it
  CostedRun out_;
  std::vector<std::vector<Call>> around_;  // by creation
  /// Of calls, by place and, of graphs, launch.
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> numbers_;
  std::unordered_map<std::string, bool> needs_phase_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> costed_;  // by op and step
};

}  // namespace

NoCost CostedRun::lacks(const CostedCall& call) const {
  if (call.above_peak) return NoCost::above_peak;
  const match::OpCost& one = cost(call);
  if (!one.flops && !one.bytes) return NoCost::no_amounts;
  if (!one.flops) return NoCost::no_flops;
  return one.bytes ? NoCost::none : NoCost::no_bytes;
}

CostedRun cost_run(const match::CompiledRules& rules, const analyze::LabelledTrace& run,
                   const ncu::GpuPeaks* gpu) {
  if (!run.trace.host || !run.trace.host->ops) {
    CostedRun nothing;
    nothing.call_of.assign(run.trace.operations.size(), CostedRun::none);
    nothing.no_cost.assign(run.trace.operations.size(), NoCost::no_op);
    nothing.gpu = gpu;
    return nothing;
  }
  return RunCosts(rules, run, gpu).make();
}

std::string_view to_string(NoCost why) noexcept {
  switch (why) {
    case NoCost::none:
      break;
    case NoCost::no_op:
      return "no op";
    case NoCost::graph:
      return "in a graph";
    case NoCost::no_shapes:
      return "no shapes";
    case NoCost::no_clause:
      return "no clause fits";
    case NoCost::no_amounts:
      return "no amounts";
    case NoCost::no_flops:
      return "no FLOPs";
    case NoCost::no_bytes:
      return "no bytes";
    case NoCost::above_peak:
      return "above the peak";
  }
  return {};
}

std::string_view kernel_name(const trace::Trace& trace, size_t operation) {
  return trace.names.get(trace.operations[operation].name).text;
}

std::string shapes_text(const OpArguments& arguments) {
  std::string text;
  const auto list = [&](const std::vector<int64_t>& values, char open, char close) {
    text += open;
    for (size_t i = 0; i < values.size(); ++i)
      text += fmt::format("{}{}", i > 0 ? ", " : "", values[i]);
    text += close;
  };
  size_t last = arguments.size();
  while (last > 0 && arguments[last - 1].kind == OpArgument::Kind::unknown) --last;
  for (size_t i = 0; i < last; ++i) {
    const OpArgument& one = arguments[i];
    if (i > 0) text += ", ";
    switch (one.kind) {
      case OpArgument::Kind::unknown:
        text += '_';
        break;
      case OpArgument::Kind::tensor:
        list(one.dims, '[', ']');
        if (one.type != ElementType::unknown) text += fmt::format(" {}", word_of(one.type));
        break;
      case OpArgument::Kind::scalar:
        text += fmt::format("{}", one.values.front());
        break;
      case OpArgument::Kind::list:
        list(one.values, '(', ')');
        break;
      case OpArgument::Kind::tensors:
        text += "[…]";
        break;
    }
  }
  return text;
}

}  // namespace kr::cost
