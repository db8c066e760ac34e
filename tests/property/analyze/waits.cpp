// Sums of synchronizing calls are compared with what every nanosecond of them is.
#include "analyze/waits.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <string>

#include "support/rounds.hpp"

namespace {

using kr::trace::HostWaits;
using kr::trace::Launch;
using kr::trace::Trace;

constexpr std::array wait_apis{"cudaStreamSynchronize", "cuCtxSynchronize", "cudaEventSynchronize",
                               "cudaLaunchKernel", "cudaStreamWaitEvent"};
constexpr std::array<const char*, 3> wait_kinds{"stream_synchronize", "context_synchronize",
                                                "event_synchronize"};

struct SlowWait {
  int64_t calls = 0, total = 0, max = 0, busy = 0;
};
using SlowWaits = std::map<std::pair<std::string, std::string>, SlowWait>;

void slow_add(SlowWait& sum, const Trace& trace, const std::string& process, int64_t start,
              int64_t end) {
  std::set<int32_t> devices;
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const Launch* launch = trace.host->launch(i);
    if (launch != nullptr && trace.host->threads[launch->thread].process == process) {
      devices.insert(trace.track(trace.operations[i].track).device);
    }
  }
  ++sum.calls;
  sum.total += end - start;
  sum.max = std::max(sum.max, end - start);
  for (int64_t time = start; time < end; ++time) {
    sum.busy += std::any_of(trace.operations.begin(), trace.operations.end(), [&](const auto& one) {
      const int32_t device = trace.track(one.track).device;
      return (devices.empty() || devices.count(device) != 0) && one.start_ns <= time &&
             time < one.end_ns();
    });
  }
}

SlowWaits slow_waits(const Trace& trace) {
  SlowWaits sums;
  const kr::trace::HostTrace& host = *trace.host;
  std::set<const HostWaits::Synchronization*> with_call;
  std::set<int64_t> answered;
  for (const Launch& call : host.launches) {
    const std::string& api = host.calls[call.call].name;
    const auto name = std::find(wait_apis.begin(), wait_apis.end(), api) - wait_apis.begin();
    std::string what = name < 3 ? wait_kinds[static_cast<size_t>(name)] : "";
    const HostWaits::Synchronization* first = nullptr;
    for (const HostWaits::Synchronization& one : host.waits->synchronizations) {
      if (one.correlation != call.correlation || one.correlation == Launch::no_correlation)
        continue;
      with_call.insert(&one);
      if (first == nullptr) first = &one;
    }
    // A record is of the first call only.
    if (first != nullptr && answered.insert(call.correlation).second) {
      what = host.waits->types[first->type];
    }
    if (what.empty()) continue;
    slow_add(sums[{api, what}], trace, host.threads[call.thread].process, call.start_ns,
             call.end_ns());
  }
  for (const HostWaits::Synchronization& one : host.waits->synchronizations) {
    if (with_call.count(&one) != 0) continue;
    slow_add(sums[{"", host.waits->types[one.type]}], trace, host.waits->processes[one.process],
             one.start_ns, one.end_ns);
  }
  return sums;
}

Trace random_waits(std::mt19937& random) {
  const auto below = [&](int64_t limit) { return static_cast<int64_t>(random()) % limit; };
  kr::trace::TraceBuilder builder("t.json", "kineto-json");
  kr::trace::HostTrace& host = builder.host();
  for (int64_t i = below(12); i >= 0; --i) {
    const char* api = wait_apis[static_cast<size_t>(below(wait_apis.size()))];
    const int64_t correlation = below(8) == 0 ? Launch::no_correlation : below(10);
    host.launches.push_back({correlation, below(100), below(30), builder.call({api, false}),
                             builder.thread({std::to_string(below(3)), std::to_string(below(2))})});
  }
  for (int64_t i = below(8); i > 0; --i) {
    kr::trace::Track track;
    track.device = static_cast<int32_t>(below(3));
    builder.add({below(120), 1 + below(12), builder.name("a", kr::OperationKind::kernel),
                 builder.track(track)});
    const int64_t correlation = below(10);
    builder.add_correlations(&correlation, 1);
  }
  host.waits = std::make_unique<HostWaits>();
  host.waits->types = {"event_synchronize", "stream_wait_event"};
  host.waits->processes = {"0", "1", "7"};
  host.waits->names = {"poll", "read"};
  for (int64_t i = below(6); i > 0; --i) {
    const int64_t start = below(100);
    host.waits->synchronizations.push_back(
        {below(8) == 0 ? Launch::no_correlation : below(14), start, start + below(20),
         static_cast<uint32_t>(below(2)), static_cast<uint32_t>(below(3))});
    host.waits->system_calls.push_back({start, start + below(40), static_cast<uint32_t>(below(2)),
                                        static_cast<uint32_t>(below(3))});
  }
  return std::move(builder).finish();
}

void check_waits(const std::vector<kr::analyze::WaitSum>& got, const SlowWaits& expected) {
  CHECK(got.size() == expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    const kr::analyze::WaitSum& one = got[i];
    if (i > 0) CHECK(got[i - 1].total_ns >= one.total_ns);
    const SlowWait& sum = expected.at({one.api, one.waited_for});
    CHECK(one.calls == sum.calls);
    CHECK(one.total_ns == sum.total);
    CHECK(one.max_ns == sum.max);
    CHECK(one.busy_ns == sum.busy);
  }
}

}  // namespace

TEST_CASE("waits and the busy time in them are those of every nanosecond") {
  std::mt19937 random(31);
  // A record answers each call of its correlation: found in round 10.
  for (uint64_t round = 0; round < kr::test::rounds(1000, 10); ++round) {
    CAPTURE(round);
    const Trace trace = random_waits(random);
    const kr::analyze::WaitStatistics got = kr::analyze::sum_waits(trace);
    check_waits(got.synchronizations, slow_waits(trace));
    SlowWaits calls;
    const HostWaits& waits = *trace.host->waits;
    for (const HostWaits::SystemCall& one : waits.system_calls) {
      slow_add(calls[{waits.names[one.name], ""}], trace, waits.processes[one.process],
               one.start_ns, one.end_ns);
    }
    check_waits(got.system_calls, calls);
  }
}
