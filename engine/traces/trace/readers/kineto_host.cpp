// What the host did, by the events of PyTorch's profiler: calls, modules, annotations, ops, frames.
#include <limits>
#include <string_view>

#include "trace/call_sites.hpp"
#include "trace/cut_plan.hpp"
#include "trace/readers/kineto_arguments.hpp"
#include "trace/readers/kineto_events.hpp"

namespace kr::trace {
namespace {

constexpr std::string_view module_head = "nn.Module: ";
// In 2020 the profiler wrote its own annotation as if it were an op.
constexpr std::string_view step_head = "ProfilerStep#";
}  // namespace

void EventParser::take_host(const JsonWalk& json, EventRows::HostKind kind) {
  using HostKind = EventRows::HostKind;
  const bool module = kind == HostKind::module;
  const bool range = module || kind == HostKind::annotation || kind == HostKind::op;
  std::string_view name = event_.name.kind == JsonRaw::Kind::string ? event_.name.text : "";
  name = json.plain(name, scratch_);
  if (module) {
    if (!name.starts_with(module_head)) return take_frame(json, name);
    name.remove_prefix(module_head.size());
  }
  const bool op = kind == HostKind::op && !name.starts_with(step_head);
  if (op && !ops_ && !reference_) return;
  if (host_ == HostDetail::range_names) {
    // Whatever its times are: one name too many does no harm.
    if (range) ids_.range_name(name);
    return;
  }
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  if (time(json, event_.start, start_ns) != DecimalFault::none ||
      time(json, event_.duration, duration_ns) != DecimalFault::none ||
      start_ns > std::numeric_limits<int64_t>::max() - duration_ns) {
    add_dropped("call or range without a valid time");
    kept_ = false;
    return;
  }
  const int64_t correlation = integer(json, event_.correlation).value_or(Launch::no_correlation);
  const uint32_t thread = ids_.thread(process(json), json.plain(event_.thread.text, number_text_));
  const std::string_view kernel = event_.kernel.kind == JsonRaw::Kind::string
                                      ? json.plain(event_.kernel.text, kernel_)
                                      : std::string_view();
  if (op && ops_) take_op(name, start_ns, duration_ns, thread);
  if (op && !reference_) return;
  if (plan_ != nullptr) {
    const MergedProcess member = plain_process(json);
    const std::string_view on = json.plain(event_.thread.text, number_text_);
    kept_ = range ? plan_->has(CutPlan::Range{member.member, member.process, on, start_ns,
                                              start_ns + duration_ns, module ? "" : name})
                  : plan_->has(CutPlan::Call{member.member, member.process, on, start_ns,
                                             duration_ns, correlation});
  }
  if (range) {
    out_->ranges.push_back({start_ns, start_ns + duration_ns, ids_.range_name(name), thread,
                            HostRange::none,
                            op       ? HostRange::Kind::op
                            : module ? HostRange::Kind::module
                                     : HostRange::Kind::annotation});
  } else {
    out_->launches.push_back({correlation, start_ns, duration_ns,
                              ids_.call(name, kind == HostKind::driver, {}, kernel), thread});
  }
}

void EventParser::take_frame(const JsonWalk& json, std::string_view name) {
  if (!call_sites_ || !is_call_site(name)) return;
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  if (time(json, event_.start, start_ns) != DecimalFault::none ||
      time(json, event_.duration, duration_ns) != DecimalFault::none ||
      start_ns > std::numeric_limits<int64_t>::max() - duration_ns) {
    add_dropped("call of a Python function without a valid time");
    return;
  }
  const uint32_t thread = ids_.thread(process(json), json.plain(event_.thread.text, number_text_));
  out_->frames.push_back({start_ns, start_ns + duration_ns, ids_.frame(name), thread});
}

void EventParser::take_op(std::string_view name, int64_t start_ns, int64_t duration_ns,
                          uint32_t thread) {
  KinetoInputs inputs;
  op_key_.assign(name);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const JsonRaw& raw = event_.inputs[i];
    if (raw.kind == JsonRaw::Kind::other) inputs[i] = raw.text;
    op_key_.append(1, '\0').append(inputs[i]);
  }
  const uint32_t op = ids_.op(op_key_, [&] {
    return HostOp{std::string(name), kineto_arguments(inputs)};
  });
  out_->ops.push_back({start_ns, start_ns + duration_ns, op, thread});
}

}  // namespace kr::trace
