#include "cost/costed_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "trace/launched.hpp"

namespace kr::cost {
namespace {

using trace::OpCall;

/// The calls of ops that enclose a time on a thread, the outermost first. Times of a thread rise.
class OpenCalls {
 public:
  explicit OpenCalls(const trace::HostTrace& host) : host_(host), lanes_(host.threads.size()) {
    const auto& calls = host.ops->calls;
    for (uint32_t i = 0; i < calls.size(); ++i) {
      Lane& lane = lanes_[calls[i].thread];
      if (lane.end == 0) lane.next = i;
      lane.end = i + 1;
    }
  }

  /// Some of them may have ended.
  const std::vector<uint32_t>& at(uint32_t thread, int64_t time) {
    Lane& lane = lanes_[thread];
    const auto& calls = host_.ops->calls;
    const auto close = [&](int64_t until) {
      while (!lane.open.empty() && calls[lane.open.back()].end_ns <= until) lane.open.pop_back();
    };
    for (; lane.next < lane.end && calls[lane.next].start_ns <= time; ++lane.next) {
      close(calls[lane.next].start_ns);
      lane.open.push_back(lane.next);
    }
    close(time);
    return lane.open;
  }

 private:
  struct Lane {
    uint32_t next = 0;
    uint32_t end = 0;
    std::vector<uint32_t> open;
  };
  const trace::HostTrace& host_;
  std::vector<Lane> lanes_;  // by thread
};

class RunCosts {
 public:
  RunCosts(const match::CompiledRules& rules, const analyze::LabelledTrace& run)
      : rules_(rules),
        run_(run),
        host_(*run.trace.host),
        table_(rules.program(), rules.database, run.choice.model) {}

  CostedRun make() {
    const size_t operations = run_.trace.operations.size();
    out_.call_of.assign(operations, CostedRun::none);
    out_.unknown_ns.assign(host_.ops->ops.size(), 0);
    out_.unknown_calls.assign(host_.ops->ops.size(), 0);
    OpenCalls open(host_);
    const trace::LaunchedOperations launched(host_);
    for (size_t i = 0; i < launched.size(); ++i) {
      const trace::Launch& launch = host_.launches[launched.launch(i)];
      take(open.at(launch.thread, launch.start_ns), launch.start_ns, launched.operations(i));
    }
    return std::move(out_);
  }

 private:
  static constexpr uint32_t unfit = UINT32_MAX;

  void take(const std::vector<uint32_t>& open, int64_t time, std::span<const uint32_t> operations) {
    const auto& calls = host_.ops->calls;
    uint32_t innermost = CostedRun::none;
    bool shapes = false;
    uint32_t call = CostedRun::none;
    for (auto at = open.rbegin(); at != open.rend() && call == CostedRun::none; ++at) {
      if (calls[*at].end_ns <= time) continue;
      const uint32_t op = calls[*at].op;
      if (innermost == CostedRun::none) innermost = op;
      shapes = shapes || !host_.ops->ops[op].arguments.empty();
      const uint32_t costed = costed_op(op, operations.front());
      if (costed != unfit) call = call_number(*at, costed, operations.front());
    }
    if (innermost == CostedRun::none) return;
    for (const uint32_t operation : operations) add(operation, innermost, shapes, call);
  }

  void add(uint32_t operation, uint32_t innermost, bool shapes, uint32_t number) {
    const int64_t duration = run_.trace.operations[operation].duration_ns;
    out_.op_ns += duration;
    if (shapes) out_.shapes_ns += duration;
    if (number == CostedRun::none) {
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
    if (out_.cost(call).flops) out_.flops_ns += duration;
    if (out_.cost(call).bytes) out_.bytes_ns += duration;
  }

  uint32_t call_number(uint32_t place, uint32_t costed, uint32_t operation) {
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
  std::optional<int64_t> number(uint32_t step, std::string_view name) const {
    while (step != classify::Attribution::none) {
      const classify::TraceStep& one = run_.attribution(rules_).steps[step];
      if (const auto value = one.phase.number(name)) return value;
      step = one.outer;
    }
    return std::nullopt;
  }

  const match::CompiledRules& rules_;
  const analyze::LabelledTrace& run_;
  const trace::HostTrace& host_;
  match::CostTable table_;
  CostedRun out_;
  std::unordered_map<uint32_t, uint32_t> numbers_;  // of calls, by place in HostOps::calls
  std::unordered_map<std::string, bool> needs_phase_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> costed_;  // by op and step
};

}  // namespace

CostedRun cost_run(const match::CompiledRules& rules, const analyze::LabelledTrace& run) {
  if (!run.trace.host || !run.trace.host->ops) {
    CostedRun nothing;
    nothing.call_of.assign(run.trace.operations.size(), CostedRun::none);
    return nothing;
  }
  return RunCosts(rules, run).make();
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
