#include "analyze/waits.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "analyze/run.hpp"
#include "facts/fields.hpp"
#include "trace/call_kinds.hpp"

namespace kr::analyze {
namespace {

using trace::HostWaits;
using trace::Launch;

/// The busy time of some devices together, up to any time.
class BusyTime {
 public:
  BusyTime(const trace::Trace& trace, const std::set<int32_t>& devices) {
    for (const trace::Operation& operation : trace.operations) {
      if (devices.count(trace.track(operation.track).device) == 0) continue;
      if (!parts_.empty() && operation.start_ns <= parts_.back().end_ns) {
        parts_.back().end_ns = std::max(parts_.back().end_ns, operation.end_ns());
        continue;
      }
      const int64_t before =
          parts_.empty() ? 0
                         : parts_.back().before_ns + parts_.back().end_ns - parts_.back().start_ns;
      parts_.push_back({operation.start_ns, operation.end_ns(), before});
    }
  }
  int64_t within(int64_t begin, int64_t end) const { return until(end) - until(begin); }

 private:
  struct Part {
    int64_t start_ns;
    int64_t end_ns;
    int64_t before_ns;  // the length of all earlier ones
  };
  int64_t until(int64_t time) const {
    const auto behind = std::partition_point(
        parts_.begin(), parts_.end(), [&](const Part& part) { return part.start_ns < time; });
    if (behind == parts_.begin()) return 0;
    const Part& part = *std::prev(behind);
    return part.before_ns + std::min(time, part.end_ns) - part.start_ns;
  }
  std::vector<Part> parts_;  // in order; none touches the next
};

/// What `synchronizations` says of a call by its name alone.
std::string_view waited_for(trace::CallKind kind) {
  switch (kind) {
    case trace::CallKind::stream_synchronize:
      return "stream_synchronize";
    case trace::CallKind::device_synchronize:
      return "context_synchronize";
    case trace::CallKind::event_synchronize:
      return "event_synchronize";
    case trace::CallKind::copy:
    case trace::CallKind::other:
      break;
  }
  return {};
}

class WaitPass {
 public:
  explicit WaitPass(const trace::Trace& trace)
      : trace_(trace), host_(*trace.host), waits_(*trace.host->waits) {
    for (const trace::Track& track : trace.tracks) all_devices_.insert(track.device);
    std::vector<std::set<int32_t>*> devices(host_.threads.size(), nullptr);
    for (size_t i = 0; i < trace.operations.size(); ++i) {
      const Launch* launch = host_.launch(i);
      if (launch == nullptr) continue;
      std::set<int32_t>*& of = devices[launch->thread];
      if (of == nullptr) of = &devices_[host_.threads[launch->thread].process];
      of->insert(trace.track(trace.operations[i].track).device);
    }
  }

  WaitStatistics run() {
    WaitStatistics out;
    add_calls();
    add_records_without_calls();
    out.synchronizations = take();
    std::vector<const BusyTime*> busy(waits_.processes.size(), nullptr);
    for (const HostWaits::SystemCall& call : waits_.system_calls) {
      const BusyTime*& of = busy[call.process];
      if (of == nullptr) of = &busy_of(waits_.processes[call.process]);
      add(waits_.names[call.name], {}, *of, call.start_ns, call.end_ns);
    }
    out.system_calls = take();
    return out;
  }

 private:
  /// Of devices. A job has one per process.
  static constexpr size_t max_groups = 64;

  const BusyTime& busy_of(std::string_view process) {
    const auto known = devices_.find(process);
    const std::set<int32_t>* devices = known != devices_.end() ? &known->second : &all_devices_;
    if (busy_.size() >= max_groups && busy_.count(*devices) == 0) devices = &all_devices_;
    return busy_.try_emplace(*devices, trace_, *devices).first->second;
  }

  void add(std::string_view api, std::string_view what, const BusyTime& busy, int64_t start_ns,
           int64_t end_ns) {
    WaitSum& sum = sums_[{api, what}];
    ++sum.calls;
    sum.total_ns += end_ns - start_ns;
    sum.max_ns = std::max(sum.max_ns, end_ns - start_ns);
    sum.busy_ns += busy.within(start_ns, end_ns);
  }

  /// By correlation: records; of equal ones the first.
  void index_records() {
    by_correlation_.reserve(waits_.synchronizations.size());
    for (uint32_t i = 0; i < waits_.synchronizations.size(); ++i) by_correlation_.push_back(i);
    std::stable_sort(by_correlation_.begin(), by_correlation_.end(), [&](uint32_t a, uint32_t b) {
      return waits_.synchronizations[a].correlation < waits_.synchronizations[b].correlation;
    });
    has_call_.assign(waits_.synchronizations.size(), false);
  }
  const HostWaits::Synchronization* record_of(const Launch& call) {
    if (call.correlation == Launch::no_correlation) return nullptr;
    auto at = std::partition_point(by_correlation_.begin(), by_correlation_.end(), [&](uint32_t i) {
      return waits_.synchronizations[i].correlation < call.correlation;
    });
    const HostWaits::Synchronization* found = nullptr;
    for (; at != by_correlation_.end(); ++at) {
      const HostWaits::Synchronization& one = waits_.synchronizations[*at];
      if (one.correlation != call.correlation) break;
      if (found == nullptr && !has_call_[*at]) found = &one;
      has_call_[*at] = true;
    }
    return found;
  }

  void add_calls() {
    index_records();
    std::vector<std::string_view> by_name;
    by_name.reserve(host_.calls.size());
    for (const trace::HostCall& call : host_.calls) {
      by_name.push_back(waited_for(trace::call_kind_of(call.name)));
    }
    std::vector<const BusyTime*> busy(host_.threads.size(), nullptr);
    for (const Launch& call : host_.launches) {
      const HostWaits::Synchronization* record = record_of(call);
      const std::string_view what =
          record != nullptr ? std::string_view(waits_.types[record->type]) : by_name[call.call];
      if (what.empty()) continue;
      const BusyTime*& of = busy[call.thread];
      if (of == nullptr) of = &busy_of(host_.threads[call.thread].process);
      add(host_.calls[call.call].name, what, *of, call.start_ns, call.end_ns());
    }
  }

  void add_records_without_calls() {
    for (size_t i = 0; i < waits_.synchronizations.size(); ++i) {
      if (has_call_[i]) continue;
      const HostWaits::Synchronization& one = waits_.synchronizations[i];
      add({}, waits_.types[one.type], busy_of(waits_.processes[one.process]), one.start_ns,
          one.end_ns);
    }
  }

  std::vector<WaitSum> take() {
    std::vector<WaitSum> out;
    out.reserve(sums_.size());
    for (auto& [key, sum] : sums_) {
      sum.api = key.first;
      sum.waited_for = key.second;
      out.push_back(std::move(sum));
    }
    sums_.clear();
    std::stable_sort(out.begin(), out.end(),
                     [](const WaitSum& a, const WaitSum& b) { return a.total_ns > b.total_ns; });
    return out;
  }

  const trace::Trace& trace_;
  const trace::HostTrace& host_;
  const HostWaits& waits_;
  std::map<std::string, std::set<int32_t>, std::less<>> devices_;  // by process
  std::set<int32_t> all_devices_;
  std::map<std::set<int32_t>, BusyTime> busy_;
  std::map<std::pair<std::string_view, std::string_view>, WaitSum> sums_;  // in order of names
  std::vector<uint32_t> by_correlation_;
  std::vector<bool> has_call_;
};

}  // namespace

WaitStatistics sum_waits(const trace::Trace& trace) {
  return WaitPass(trace).run();
}

facts::Computed<WaitStatistics> WaitStatistics::compute(const facts::Input& run) {
  const trace::Trace& trace = run.trace.trace;
  if (!trace.host) return facts::Computed<WaitStatistics>::absent(std::string(no_launches));
  if (!trace.host->waits) {
    return facts::Computed<WaitStatistics>::absent("no trace contains what the host waited for");
  }
  return sum_waits(trace);
}

void WaitStatistics::saved(facts::Fields& io, const RunSummary&) {
  const auto save = [](facts::Fields& row, WaitSum& one) {
    row.text("api", one.api);
    row.text("waited_for", one.waited_for);
    row.amount("calls", one.calls);
    row.amount("total_ns", one.total_ns);
    row.amount("max_ns", one.max_ns);
    row.amount("busy_ns", one.busy_ns);
    row.check(one.max_ns <= one.total_ns && one.busy_ns <= one.total_ns);
  };
  io.list("synchronizations", synchronizations, save);
  io.list("system_calls", system_calls, save);
}

}  // namespace kr::analyze
