#include "analyze/idle.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "base/check.hpp"
#include "trace/call_kinds.hpp"
#include "trace/outermost_calls.hpp"

namespace kr::analyze {
namespace {

using trace::CallKind;
using trace::Launch;

/// The sums of one device by cause and function, gap by gap.
class IdleSums {
 public:
  explicit IdleSums(int32_t device) { out_.device = device; }

  /// `name`: the number of a function's name.
  void add(IdleCause cause, size_t name, int64_t ns) {
    if (ns <= 0) return;
    in_gap_[static_cast<size_t>(cause)] += ns;
    Slot& slot = slots_[name * idle_causes.size() + static_cast<size_t>(cause)];
    slot.total_ns += ns;
    if (slot.last_gap != gap_) ++slot.gaps;
    slot.last_gap = gap_;
  }
  /// All of a gap is added.
  void finish_gap(int64_t length_ns) {
    for (size_t i = 0; i < in_gap_.size(); ++i) {
      const int64_t ns = in_gap_[i];
      if (ns == 0) continue;
      IdleSum& sum = out_.causes[i];
      sum.total_ns += ns;
      ++sum.gaps;
      sum.longest_ns = std::max(sum.longest_ns, ns);
      length_ns -= ns;
    }
    KR_CHECK(length_ns == 0);
    in_gap_ = {};
    ++gap_;
  }
  DeviceIdle result(const std::vector<std::string_view>& names) {
    out_.calls.reserve(slots_.size());
    for (const auto& [key, slot] : slots_) {
      out_.calls.push_back({idle_causes[key % idle_causes.size()],
                            std::string(names[key / idle_causes.size()]), slot.total_ns,
                            slot.gaps});
    }
    std::sort(out_.calls.begin(), out_.calls.end(), [](const IdleCall& a, const IdleCall& b) {
      return std::tie(a.cause, b.total_ns, a.api) < std::tie(b.cause, a.total_ns, b.api);
    });
    return std::move(out_);
  }

 private:
  struct Slot {
    int64_t total_ns = 0;
    int64_t gaps = 0;
    int64_t last_gap = 0;
  };
  DeviceIdle out_;
  std::unordered_map<size_t, Slot> slots_;  // by name and cause
  std::array<int64_t, idle_causes.size()> in_gap_{};
  int64_t gap_ = 1;
};

class IdlePass {
 public:
  explicit IdlePass(const trace::Trace& trace)
      : trace_(trace),
        host_(*trace.host),
        kinds_(kinds_of(host_)),
        names_{""},
        waiting_(host_, [this](const Launch& call) { return kind_of(call) != CallKind::other; }),
        others_(host_, [this](const Launch& call) { return kind_of(call) == CallKind::other; }) {
    // Functions of the runtime and the driver may have one name; they are sorted by it.
    for (const trace::HostCall& call : host_.calls) {
      if (names_.back() != call.name) names_.emplace_back(call.name);
      name_of_.push_back(names_.size() - 1);
    }
  }

  std::vector<DeviceIdle> run() {
    struct Device {
      IdleSums sums;
      int64_t covered_to;
    };
    std::map<int32_t, Device> devices;
    for (size_t i = 0; i < trace_.operations.size(); ++i) {
      const trace::Operation& operation = trace_.operations[i];
      const int32_t number = trace_.track(operation.track).device;
      auto at = devices.find(number);
      if (at == devices.end()) {
        at = devices.emplace(number, Device{IdleSums(number), operation.start_ns}).first;
      }
      Device& device = at->second;
      if (operation.start_ns > device.covered_to) {
        gap(device.sums, device.covered_to, operation.start_ns, host_.launch(i));
      }
      device.covered_to = std::max(device.covered_to, operation.end_ns());
    }
    std::vector<DeviceIdle> out;
    out.reserve(devices.size());
    for (auto& [number, device] : devices) out.push_back(device.sums.result(names_));
    return out;
  }

 private:
  static constexpr size_t no_call = 0;

  static std::vector<CallKind> kinds_of(const trace::HostTrace& host) {
    std::vector<CallKind> kinds;
    kinds.reserve(host.calls.size());
    for (const trace::HostCall& call : host.calls) kinds.push_back(trace::call_kind_of(call.name));
    return kinds;
  }
  CallKind kind_of(const Launch& call) const { return kinds_[call.call]; }

  /// The call that `launch` is part of.
  const Launch& launching_call(const Launch& launch) {
    const Launch* first = &launch;
    for (trace::OutermostCalls* calls : {&waiting_, &others_}) {
      const Launch* call = calls->at(launch.thread, launch.start_ns);
      const bool encloses = call != nullptr && call->end_ns() >= launch.end_ns() &&
                            !trace::is_synchronization(kind_of(*call));
      if (encloses && call->start_ns < first->start_ns) first = call;
    }
    return *first;
  }

  void gap(IdleSums& sums, int64_t begin, int64_t end, const Launch* launch) {
    if (launch == nullptr) {
      sums.add(IdleCause::unknown, no_call, end - begin);
      sums.finish_gap(end - begin);
      return;
    }
    const Launch& launching = launching_call(*launch);
    // The clocks may differ: an operation may begin before its launch.
    const int64_t asked = std::clamp(launching.start_ns, begin, end);
    const int64_t returned = std::clamp(launching.end_ns(), asked, end);
    waiting_.split(
        launch->thread, begin, asked,
        [&](const Launch& call, int64_t from, int64_t to) {
          const bool copies = kind_of(call) == CallKind::copy;
          sums.add(copies ? IdleCause::copy : IdleCause::synchronization, name_of_[call.call],
                   to - from);
        },
        [&](int64_t from, int64_t to) {
          others_.split(
              launch->thread, from, to,
              [&](const Launch& call, int64_t first, int64_t last) {
                sums.add(IdleCause::no_work, name_of_[call.call], last - first);
              },
              [&](int64_t first, int64_t last) {
                sums.add(IdleCause::no_work, no_call, last - first);
              });
        });
    sums.add(IdleCause::launch_latency, name_of_[launching.call], returned - asked);
    sums.add(IdleCause::launch_latency, no_call, end - returned);
    sums.finish_gap(end - begin);
  }

  const trace::Trace& trace_;
  const trace::HostTrace& host_;
  std::vector<CallKind> kinds_;          // by function
  std::vector<std::string_view> names_;  // of functions; the first is that of none
  std::vector<size_t> name_of_;          // by function
  trace::OutermostCalls waiting_;
  trace::OutermostCalls others_;
};

}  // namespace

std::string_view to_string(IdleCause cause) noexcept {
  constexpr std::array<std::string_view, idle_causes.size()> names{
      "synchronization", "copy", "no_work", "launch_latency", "unknown"};
  return names[static_cast<size_t>(cause)];
}

int64_t DeviceIdle::host_bound_ns() const {
  return of(IdleCause::synchronization).total_ns + of(IdleCause::copy).total_ns +
         of(IdleCause::no_work).total_ns;
}

int64_t DeviceIdle::total_ns() const {
  int64_t sum = 0;
  for (const IdleSum& one : causes) sum += one.total_ns;
  return sum;
}

std::vector<DeviceIdle> find_idle_causes(const trace::Trace& trace) {
  return IdlePass(trace).run();
}

}  // namespace kr::analyze
