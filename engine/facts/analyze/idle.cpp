#include "analyze/idle.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "analyze/run.hpp"
#include "analyze/saved_sums.hpp"
#include "base/check.hpp"
#include "replay/model.hpp"
#include "trace/call_kinds.hpp"
#include "trace/outermost_calls.hpp"

namespace kr::analyze {
namespace {

using replay::PathPart;
using replay::Piece;
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
        model_(trace),
        decisions_(model_),
        names_{""},
        calls_(host_, [](const Launch&) { return true; }) {
    // Functions of the runtime and the driver may have one name; they are sorted by it.
    for (const trace::HostCall& call : host_.calls) {
      if (names_.back() != call.name) names_.emplace_back(call.name);
      name_of_.push_back(names_.size() - 1);
      copies_.push_back(trace::call_kind_of(call.name) == CallKind::copy);
    }
  }

  std::vector<DeviceIdle> run() {
    struct Device {
      IdleSums sums;
      int64_t covered_to;
    };
    std::map<int32_t, Device> devices;
    for (uint32_t i = 0; i < trace_.operations.size(); ++i) {
      const trace::Operation& operation = trace_.operations[i];
      const int32_t number = trace_.track(operation.track).device;
      auto at = devices.find(number);
      if (at == devices.end()) {
        at = devices.emplace(number, Device{IdleSums(number), operation.start_ns}).first;
      }
      Device& device = at->second;
      if (operation.start_ns > device.covered_to) {
        gap(device.sums, device.covered_to, operation.start_ns, i);
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

  void gap(IdleSums& sums, int64_t begin, int64_t end, uint32_t operation) {
    if (host_.launch(operation) == nullptr) {
      sums.add(IdleCause::unknown, no_call, end - begin);
      sums.finish_gap(end - begin);
      return;
    }
    PathPart last = PathPart::unexplained;
    const replay::Decisions::Before before =
        decisions_.back_from(operation, begin, [&](const Piece& piece) {
          last = piece.part;
          add(sums, piece);
        });
    // Before that, an operation of another device ran, which was waited for.
    const bool waited = last == PathPart::synchronization;
    sums.add(waited ? IdleCause::synchronization : IdleCause::untraced, no_call,
             before.until_ns - begin);
    sums.finish_gap(end - begin);
  }

  void add(IdleSums& sums, const Piece& piece) {
    const int64_t ns = piece.to_ns - piece.from_ns;
    const Launch* const call = piece.call == none ? nullptr : &host_.launches[piece.call];
    const size_t name = call == nullptr ? no_call : name_of_[call->call];
    const bool copies = call != nullptr && copies_[call->call];
    switch (piece.part) {
      case PathPart::delay:
        sums.add(IdleCause::queued, no_call, ns);
        break;
      case PathPart::launch: {
        const int64_t returned = std::clamp(call->end_ns(), piece.from_ns, piece.to_ns);
        sums.add(IdleCause::launch, name, returned - piece.from_ns);
        sums.add(IdleCause::launch, no_call, piece.to_ns - returned);
        break;
      }
      case PathPart::synchronization:
        sums.add(copies ? IdleCause::copy : IdleCause::synchronization, name, ns);
        break;
      case PathPart::host:
        if (call != nullptr) {
          // A copy that the host does not wait for is a launch like others.
          const bool staged = copies && model_.copies_pageable(piece.operation);
          sums.add(staged ? IdleCause::copy : IdleCause::host, name, ns);
        } else {
          add_host(sums, piece);
        }
        break;
      case PathPart::operation:
      case PathPart::unexplained:
        sums.add(IdleCause::untraced, name, ns);
        break;
    }
  }

  /// By the calls that the thread was in.
  void add_host(IdleSums& sums, const Piece& piece) {
    calls_.split(
        piece.thread, piece.from_ns, piece.to_ns,
        [&](const Launch& call, int64_t from, int64_t to) {
          sums.add(IdleCause::host, name_of_[call.call], to - from);
        },
        [&](int64_t from, int64_t to) { sums.add(IdleCause::host, no_call, to - from); });
  }

  static constexpr uint32_t none = trace::HostRange::none;

  const trace::Trace& trace_;
  const trace::HostTrace& host_;
  replay::Model model_;
  replay::Decisions decisions_;
  std::vector<std::string_view> names_;  // of functions; the first is that of none
  std::vector<size_t> name_of_;          // by function
  std::vector<bool> copies_;             // by function
  trace::OutermostCalls calls_;
};

std::optional<IdleCause> idle_cause_from(std::string_view text) noexcept {
  const auto at =
      std::ranges::find_if(idle_causes, [&](IdleCause one) { return to_string(one) == text; });
  return at == idle_causes.end() ? std::nullopt : std::optional(*at);
}

}  // namespace

std::string_view to_string(IdleCause cause) noexcept {
  constexpr std::array<std::string_view, idle_causes.size()> names{
      "host", "synchronization", "copy", "launch", "queued", "untraced", "unknown"};
  return names[static_cast<size_t>(cause)];
}

int64_t DeviceIdle::host_bound_ns() const {
  return of(IdleCause::host).total_ns + of(IdleCause::synchronization).total_ns +
         of(IdleCause::copy).total_ns;
}

int64_t DeviceIdle::total_ns() const {
  int64_t sum = 0;
  for (const IdleSum& one : causes) sum += one.total_ns;
  return sum;
}

std::vector<DeviceIdle> find_idle_causes(const trace::Trace& trace) {
  return IdlePass(trace).run();
}

facts::Computed<Idle> Idle::compute(const facts::Input& run) {
  const trace::Trace& trace = run.trace.trace;
  if (!trace.host) return facts::Computed<Idle>::absent(std::string(no_launches));
  Idle out{find_idle_causes(trace)};
  const std::vector<DeviceSum>& devices = run.summary.devices;
  KR_CHECK(out.devices.size() == devices.size());
  for (size_t i = 0; i < devices.size(); ++i) {
    KR_CHECK(out.devices[i].device == devices[i].device);
    KR_CHECK(out.devices[i].total_ns() == devices[i].idle_ns);
  }
  return out;
}

void Idle::saved(facts::Fields& io, const RunSummary& run) {
  io.list("devices", devices, [&](facts::Fields& row, DeviceIdle& device) {
    row.number("device", device.device);
    row.rows("causes", idle_causes.size(), [&](facts::Fields& cause, size_t i) {
      cause.check(i < idle_causes.size());
      IdleSum& sum = device.causes[i];
      cause.amount("total_ns", sum.total_ns);
      cause.amount("gaps", sum.gaps);
      cause.amount("longest_ns", sum.longest_ns);
      cause.check(sum.longest_ns <= sum.total_ns);
    });
    row.list("calls", device.calls, [](facts::Fields& call, IdleCall& one) {
      call.choice("cause", one.cause, idle_cause_from);
      call.text("api", one.api);
      call.amount("total_ns", one.total_ns);
      call.amount("gaps", one.gaps);
    });
    if (!row.reads()) return;
    int64_t left_ns = saved_device(row, run, device.device).idle_ns;
    int64_t left_of_calls_ns = left_ns;
    for (const IdleSum& sum : device.causes) row.take_from(left_ns, sum.total_ns);
    for (const IdleCall& one : device.calls) row.take_from(left_of_calls_ns, one.total_ns);
    row.check(left_ns == 0 && left_of_calls_ns == 0);
  });
  io.check(std::ranges::equal(devices, run.devices, {}, &DeviceIdle::device, &DeviceSum::device));
}

}  // namespace kr::analyze
