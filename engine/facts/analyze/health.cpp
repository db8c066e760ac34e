#include "analyze/health.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "analyze/lost_kernels.hpp"
#include "analyze/run.hpp"
#include "text/numbers.hpp"

namespace kr::analyze {
namespace {

using List = std::vector<Finding>;

std::string percent(int64_t part, int64_t whole) {
  return text::share(part, whole) + " %";
}

int64_t count_of(uint64_t count) {
  return static_cast<int64_t>(std::min<uint64_t>(count, std::numeric_limits<int64_t>::max()));
}

void add_notes(const RunSummary& summary, List& out) {
  uint64_t dropped = 0;
  for (const trace::DroppedRecords& records : summary.dropped) dropped += records.count;
  if (!summary.dropped.empty()) {
    out.push_back(finding(FindingCode::dropped_records, count_of(dropped)));
  }
  if (!summary.inexact.empty()) out.push_back(finding(FindingCode::inexact_times, std::nullopt));
  for (const Warning& warning : summary.warnings) {
    const auto code = finding_of_note(warning.code);
    const auto is_known = [&](const Finding& one) { return one.code == warning.code; };
    if (!code || std::any_of(out.begin(), out.end(), is_known)) continue;
    out.push_back(finding(*code, std::nullopt));
  }
}

void add_times(const trace::Trace& trace, const RunSummary& summary, List& out) {
  int64_t longest_ns = 0;
  int64_t covered_to = trace.first_start_ns;
  for (const trace::Operation& operation : trace.operations) {
    longest_ns = std::max(longest_ns, operation.start_ns - covered_to);
    covered_to = std::max(covered_to, operation.end_ns());
  }
  if (longest_ns > 0 && longest_ns / 99 > summary.span_ns - longest_ns) {
    out.push_back(
        finding(FindingCode::far_apart, std::nullopt, percent(longest_ns, summary.span_ns)));
  }
  const int64_t more_ns = summary.gpu_total_ns - summary.gpu_busy_ns;
  if (summary.gpu_busy_ns > 0 && more_ns > summary.gpu_busy_ns / 100) {
    const double factor =
        static_cast<double>(summary.gpu_total_ns) / static_cast<double>(summary.gpu_busy_ns);
    out.push_back(finding(FindingCode::overlap, std::nullopt, fmt::format("{:.2f}", factor)));
  }
}

void add_no_kernels(const trace::Trace& trace, List& out) {
  const bool any = std::any_of(trace.names.begin(), trace.names.end(),
                               [](const auto& name) { return name.kind == OperationKind::kernel; });
  if (trace.operations.size() > 0 && !any) {
    out.push_back(finding(FindingCode::no_kernels, std::nullopt));
  }
}

void add_launch_times(const trace::Trace& trace, List& out) {
  const trace::HostTrace& host = *trace.host;
  int64_t early = 0, max_ns = 0, disordered = 0;
  // By track: the latest begin of a call that launched one of its operations.
  std::vector<int64_t> last_call_ns(trace.tracks.size(), std::numeric_limits<int64_t>::min());
  size_t untimed = 0;
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    if (untimed < trace.untimed.size() && trace.untimed[untimed] == i) {
      ++untimed;
      continue;
    }
    const trace::Launch* launch = host.launch(i);
    if (launch == nullptr) continue;
    const trace::Operation& operation = trace.operations[i];
    if (operation.start_ns < launch->start_ns) {
      ++early;
      max_ns = std::max(max_ns, launch->start_ns - operation.start_ns);
    }
    int64_t& last_ns = last_call_ns[operation.track.index];
    if (launch->end_ns() < last_ns) ++disordered;
    last_ns = std::max(last_ns, launch->start_ns);
  }
  if (early > 0) {
    out.push_back(finding(FindingCode::before_launch, early, text::human_time(max_ns)));
  }
  if (disordered > 0) out.push_back(finding(FindingCode::out_of_order, disordered));
}

/// One that is lost here and there, or behind the last operation, does not mean that the trace is
/// damaged.
void add_lost_kernels(const trace::Trace& trace, List& out) {
  constexpr int64_t worth_a_warning = 100;  // one of so many
  // Without a single link, as without correlations, nothing is known of any.
  const bool linked = trace.host->orphans < trace.operations.size();
  if (!linked && trace.operations.size() > 0) return;
  for (const LostKernels& lost : find_lost_kernels(trace)) {
    Finding& one =
        out.emplace_back(finding(FindingCode::launches_without_kernels, lost.lost, describe(lost)));
    if (lost.lost_inside <= lost.launches / worth_a_warning) one.severity = Severity::info;
  }
}

void add_launches(const trace::Trace& trace, List& out) {
  const auto operations = static_cast<int64_t>(trace.operations.size());
  if (trace.host->launches.size() == 0) {
    if (operations > 0) out.push_back(finding(FindingCode::no_host_calls, std::nullopt));
    return;
  }
  const int64_t orphans = count_of(trace.host->orphans);
  if (orphans > operations / 20) {
    out.push_back(finding(FindingCode::few_launches, orphans, percent(orphans, operations)));
  } else if (orphans > 0) {
    out.push_back(
        finding(FindingCode::kernels_without_launches, orphans, percent(orphans, operations)));
  }
  add_lost_kernels(trace, out);
  add_launch_times(trace, out);
}

void add_untraced(const RunSummary& summary, const Idle& idle, List& out) {
  int64_t untraced_ns = 0;
  int64_t span_ns = 0;
  for (const DeviceIdle& device : idle.devices) {
    untraced_ns += device.of(IdleCause::untraced).total_ns;
  }
  for (const DeviceSum& device : summary.devices) span_ns += device.span_ns;
  if (untraced_ns <= span_ns / 20) return;
  out.push_back(finding(FindingCode::untraced_work, std::nullopt, percent(untraced_ns, span_ns)));
}

struct TimedStep {
  size_t step;
  int64_t span_ns;
};

/// `group`: steps that may be compared, in order.
void add_group(const std::vector<TimedStep>& group, WarmUp& to) {
  constexpr size_t fewest_steps = 5;
  if (group.size() < fewest_steps) return;
  std::vector<int64_t> sorted;
  sorted.reserve(group.size());
  for (const TimedStep& one : group) sorted.push_back(one.span_ns);
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  if (*middle == 0) return;
  for (const auto& [step, span_ns] : group) {
    if (span_ns / 2 <= *middle) break;
    to.steps.push_back(step);
    to.most = std::max(to.most, static_cast<double>(span_ns) / static_cast<double>(*middle));
  }
}

/// Of the device with most steps of warm-up: the devices of a job step together.
WarmUp warm_up_of(const FoundPhases& found) {
  std::map<std::tuple<int32_t, FoundPhase, std::optional<int64_t>, int64_t>, std::vector<TimedStep>>
      groups;
  for (size_t i = 0; i < found.steps.size(); ++i) {
    const FoundStep& step = found.steps[i];
    if (step.phase != FoundPhase::decode && step.stacks < 2) continue;
    groups[{step.device, step.phase, step.layers, step.stacks}].push_back({i, step.span_ns});
  }
  std::map<int32_t, WarmUp> devices;
  for (const auto& [key, group] : groups) add_group(group, devices[std::get<0>(key)]);
  WarmUp most;
  for (const auto& [device, one] : devices) {
    if (one.steps.size() > most.steps.size()) most = one;
  }
  return most;
}

void add_warm_up(const WarmUp& warm_up, List& out) {
  if (warm_up.steps.empty()) return;
  out.push_back(finding(FindingCode::warm_up, count_of(warm_up.steps.size()),
                        fmt::format("{:.1f}", warm_up.most)));
}

/// Names, by device, of which no metric has a mean.
void add_unsampled(const GpuMetricSums& sums, List& out) {
  const auto unsampled =
      std::count_if(sums.name_times.begin(), sums.name_times.end(), [](const MetricTimes& times) {
        return std::none_of(times.parts.begin(), times.parts.end(),
                            [](const MetricPart& part) { return part.mean.has_value(); });
      });
  if (unsampled > 0) out.push_back(finding(FindingCode::unsampled_metrics, unsampled));
}

}  // namespace

WarmUp warm_up_of(const StepSums& sums) {
  std::map<std::tuple<std::string_view, int64_t>, std::vector<TimedStep>> groups;
  for (size_t i = 0; i < sums.steps.size(); ++i) {
    const StepPart step = sums.steps[i];
    if (step.instances == 0) continue;
    groups[{step.phase, step.tokens.value_or(-1)}].push_back({i, step.time.span_ns});
  }
  WarmUp all;
  for (const auto& [key, group] : groups) add_group(group, all);
  std::sort(all.steps.begin(), all.steps.end());
  return all;
}

std::vector<Finding> find_health(const facts::Input& run) {
  const trace::Trace& trace = run.trace.trace;
  const RunSummary& summary = run.summary;
  List out;
  if (!trace.untimed.empty()) {
    out.push_back(
        finding(FindingCode::implausible_times, count_of(trace.untimed.size()), trace.untimed_why));
  }
  add_notes(summary, out);
  add_times(trace, summary, out);
  add_no_kernels(trace, out);
  if (trace.host) add_launches(trace, out);
  const StepSums* const steps = run.facts.find<StepSums>();
  if (steps != nullptr) {
    if (!trace.host && summary.operations > 0) {
      out.push_back(finding(FindingCode::no_host_calls, std::nullopt));
    }
    if (steps->too_deep > 0) {
      out.push_back(finding(FindingCode::steps_nested_too_deep, steps->too_deep));
    }
  }
  if (const Idle* idle = run.facts.find<Idle>()) add_untraced(summary, *idle, out);
  if (const auto* metrics = run.facts.find<GpuMetricSums>()) add_unsampled(*metrics, out);
  if (steps != nullptr && !steps->steps.empty()) {
    add_warm_up(warm_up_of(*steps), out);
  } else if (const auto* found = run.facts.find<FoundPhases>()) {
    add_warm_up(warm_up_of(*found), out);
  } else if (const auto* shown = run.facts.find<ShownPhases>()) {
    add_warm_up(warm_up_of(*shown), out);
  } else if (run.demand.has<Findings>()) {
    add_warm_up(warm_up_of(find_phases(run.rules, run.trace)), out);
  }
  sort_worst_first(out);
  return out;
}

}  // namespace kr::analyze
