// The causes of idle time are compared with the truth of simulated runs, and their sums with what
// every nanosecond of runs of any form is.
#include "analyze/idle.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <random>
#include <string>

#include "support/rounds.hpp"
#include "support/simulated_run.hpp"

namespace {

using kr::analyze::IdleCause;
using kr::test::SimulatedRun;
using kr::trace::Trace;

constexpr std::array apis{"cudaLaunchKernel",      "cudaMemcpyAsync",     "cudaStreamSynchronize",
                          "cudaDeviceSynchronize", "cuStreamSynchronize", "cudaMalloc",
                          "cudaStreamWaitEvent",   "cudaGraphLaunch"};

struct SlowIdle {
  int64_t total = 0;
  int64_t unknown = 0;  // before operations without a launch
};

/// By device: nanosecond by nanosecond.
std::map<int32_t, SlowIdle> slow_idle(const Trace& trace) {
  std::map<int32_t, SlowIdle> out;
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
      ++sums.total;
      if (trace.host->launch(*next) == nullptr) ++sums.unknown;
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

TEST_CASE("causes of idle time are what decided the next start") {
  // The gap from kernel to kernel counts as launch latency: found in round 1.
  for (uint64_t seed = 0; seed < kr::test::rounds(100, 1); ++seed) {
    CAPTURE(seed);
    const SimulatedRun run = kr::test::simulated_run(seed, {});
    std::map<SimulatedRun::Cause, int64_t> truth = run.idle();
    const Trace trace = run.trace();
    const std::vector<kr::analyze::DeviceIdle> got = kr::analyze::find_idle_causes(trace);
    REQUIRE(got.size() == 1);
    int64_t total = 0;
    for (const auto& [cause, ns] : truth) total += ns;
    CHECK(got[0].total_ns() == total);
    for (const auto& [cause, expected] :
         {std::pair(IdleCause::host, SimulatedRun::Cause::host),
          std::pair(IdleCause::synchronization, SimulatedRun::Cause::synchronization),
          std::pair(IdleCause::copy, SimulatedRun::Cause::copy),
          std::pair(IdleCause::launch, SimulatedRun::Cause::launch),
          std::pair(IdleCause::queued, SimulatedRun::Cause::queued)}) {
      CAPTURE(to_string(cause));
      const int64_t ns = got[0].of(cause).total_ns;
      const int64_t error = std::abs(ns - truth[expected]);
      CHECK(error <= std::max(total / 50, truth[expected] / 20));
    }
    CHECK(got[0].of(IdleCause::untraced).total_ns <= total / 50);
    CHECK(got[0].of(IdleCause::unknown).total_ns == 0);
  }
}

TEST_CASE("causes and calls add up to the idle time of a device") {
  std::mt19937 random(23);
  std::map<IdleCause, int64_t> met;
  // The time of a device is covered up to its last end: found in round 17.
  for (uint64_t round = 0; round < kr::test::rounds(600, 17); ++round) {
    CAPTURE(round);
    const Trace trace = random_trace(random);
    const std::map<int32_t, SlowIdle> expected = slow_idle(trace);
    const std::vector<kr::analyze::DeviceIdle> got = kr::analyze::find_idle_causes(trace);
    REQUIRE(got.size() == expected.size());
    for (const kr::analyze::DeviceIdle& device : got) {
      const SlowIdle& slow = expected.at(device.device);
      CHECK(device.total_ns() == slow.total);
      CHECK(device.of(IdleCause::unknown).total_ns == slow.unknown);
      std::map<IdleCause, int64_t> by_calls;
      for (const kr::analyze::IdleCall& call : device.calls) {
        CHECK(call.total_ns > 0);
        by_calls[call.cause] += call.total_ns;
      }
      for (const IdleCause cause : kr::analyze::idle_causes) {
        CHECK(device.of(cause).total_ns == by_calls[cause]);
        CHECK(device.of(cause).longest_ns <= device.of(cause).total_ns);
        met[cause] += device.of(cause).total_ns;
      }
    }
  }
  for (const IdleCause cause : kr::analyze::idle_causes) {
    CAPTURE(to_string(cause));
    CHECK(met[cause] > 0);
  }
}
