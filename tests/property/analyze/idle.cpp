// The causes of idle time are compared with what every nanosecond of it is.
#include "analyze/idle.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>

#include "support/rounds.hpp"

namespace {

using kr::analyze::IdleCause;
using kr::trace::Launch;
using kr::trace::Trace;

constexpr std::array apis{"cudaLaunchKernel",      "cudaMemcpyAsync",     "cudaStreamSynchronize",
                          "cudaDeviceSynchronize", "cuStreamSynchronize", "cudaMalloc",
                          "cudaStreamWaitEvent",   "cudaGraphLaunch"};

/// Which of the above wait, and which copy.
bool synchronizes(const std::string& api) {
  return api.find("Synchronize") != api.npos;
}
bool copies(const std::string& api) {
  return api == "cudaMemcpyAsync";
}

/// Of a cause or a call: total, and the ends of gaps with any of it.
struct SlowSum {
  int64_t total = 0;
  std::map<int64_t, int64_t> by_gap;
  void add(int64_t gap) {
    ++total;
    ++by_gap[gap];
  }
  int64_t longest() const {
    int64_t most = 0;
    for (const auto& [gap, ns] : by_gap) most = std::max(most, ns);
    return most;
  }
};

struct SlowDevice {
  std::map<IdleCause, SlowSum> causes;
  std::map<std::pair<IdleCause, std::string>, SlowSum> calls;
};

/// The call of a thread that runs at a time and began first of those that wait, or of the others.
const Launch* slow_running(const Trace& trace, uint32_t thread, int64_t time, bool waiting) {
  for (const Launch& call : trace.host->launches) {
    const std::string& api = trace.host->calls[call.call].name;
    if (call.thread != thread || (synchronizes(api) || copies(api)) != waiting) continue;
    if (call.start_ns <= time && time < call.end_ns()) return &call;
  }
  return nullptr;
}

const Launch& slow_launching(const Trace& trace, const Launch& launch) {
  const Launch* first = &launch;
  for (const bool waiting : {true, false}) {
    const Launch* call = slow_running(trace, launch.thread, launch.start_ns, waiting);
    if (call == nullptr || synchronizes(trace.host->calls[call->call].name)) continue;
    if (call->end_ns() >= launch.end_ns() && call->start_ns < first->start_ns) first = call;
  }
  return *first;
}

std::pair<IdleCause, std::string> slow_cause(const Trace& trace, const Launch* launch,
                                             int64_t time) {
  if (launch == nullptr) return {IdleCause::unknown, ""};
  const auto name = [&](const Launch& call) { return trace.host->calls[call.call].name; };
  const Launch& launching = slow_launching(trace, *launch);
  if (time >= launching.start_ns) {
    return {IdleCause::launch_latency, time < launching.end_ns() ? name(launching) : ""};
  }
  if (const Launch* call = slow_running(trace, launch->thread, time, true)) {
    return {copies(name(*call)) ? IdleCause::copy : IdleCause::synchronization, name(*call)};
  }
  const Launch* call = slow_running(trace, launch->thread, time, false);
  return {IdleCause::no_work, call != nullptr ? name(*call) : ""};
}

std::map<int32_t, SlowDevice> slow_idle(const Trace& trace) {
  std::map<int32_t, SlowDevice> out;
  const auto device_of = [&](size_t i) { return trace.track(trace.operations[i].track).device; };
  for (size_t i = 0; i < trace.operations.size(); ++i) out[device_of(i)];
  for (auto& [device, sums] : out) {
    for (int64_t time = trace.first_start_ns; time < trace.last_end_ns; ++time) {
      bool busy = false, begun = false;
      std::optional<size_t> next;
      for (size_t i = 0; i < trace.operations.size(); ++i) {
        if (device_of(i) != device) continue;
        const kr::trace::Operation& one = trace.operations[i];
        begun = begun || one.start_ns <= time;
        busy = busy || (one.start_ns <= time && time < one.end_ns());
        if (!next && one.start_ns > time) next = i;
      }
      if (busy || !begun || !next) continue;
      const auto [cause, api] = slow_cause(trace, trace.host->launch(*next), time);
      sums.causes[cause].add(trace.operations[*next].start_ns);
      sums.calls[{cause, api}].add(trace.operations[*next].start_ns);
    }
  }
  return out;
}

/// Calls of three threads that overlap in any way, and operations of two devices.
Trace random_trace(std::mt19937& random) {
  const auto below = [&](int64_t limit) { return static_cast<int64_t>(random()) % limit; };
  kr::trace::TraceBuilder builder("t.json", "kineto-json");
  const int64_t calls = 1 + below(14);
  for (int64_t i = 0; i < calls; ++i) {
    const std::string api = apis[static_cast<size_t>(below(apis.size()))];
    builder.host().launches.push_back({i, below(120), below(3) == 0 ? below(60) : below(8),
                                       builder.call({api, api.starts_with("cuS")}),
                                       builder.thread({"1", std::to_string(below(3))})});
  }
  for (int64_t i = 1 + below(12); i > 0; --i) {
    kr::trace::Track track;
    track.device = static_cast<int32_t>(below(2));
    track.stream = below(2);
    builder.add({below(160), 1 + below(9),
                 builder.name(below(2) == 0 ? "a" : "b", kr::OperationKind::kernel),
                 builder.track(track)});
    const int64_t correlation = below(6) == 0 ? 100 : below(calls);
    builder.add_correlations(&correlation, 1);
  }
  return std::move(builder).finish();
}

}  // namespace

TEST_CASE("causes of idle time are those of every nanosecond") {
  std::mt19937 random(23);
  std::set<std::pair<IdleCause, std::string>> met;
  // The time of a device is covered up to its last end: found in round 17.
  for (uint64_t round = 0; round < kr::test::rounds(1500, 17); ++round) {
    CAPTURE(round);
    const Trace trace = random_trace(random);
    const std::map<int32_t, SlowDevice> expected = slow_idle(trace);
    const std::vector<kr::analyze::DeviceIdle> got = kr::analyze::find_idle_causes(trace);
    REQUIRE(got.size() == expected.size());
    for (const kr::analyze::DeviceIdle& device : got) {
      SlowDevice slow = expected.at(device.device);
      for (const IdleCause cause : kr::analyze::idle_causes) {
        const SlowSum& sum = slow.causes[cause];
        CHECK(device.of(cause).total_ns == sum.total);
        CHECK(device.of(cause).gaps == static_cast<int64_t>(sum.by_gap.size()));
        CHECK(device.of(cause).longest_ns == sum.longest());
      }
      CHECK(device.calls.size() == slow.calls.size());
      for (const kr::analyze::IdleCall& call : device.calls) {
        const SlowSum& sum = slow.calls[{call.cause, call.api}];
        CHECK(call.total_ns == sum.total);
        CHECK(call.gaps == static_cast<int64_t>(sum.by_gap.size()));
        met.insert({call.cause, call.api});
      }
    }
  }
  // Each api but those that synchronise is in the causes of a copy, of no work or of a launch.
  CHECK(met.size() > 2 * apis.size());
}
