// Launch statistics are compared with a slow and simple computation.
#include "analyze/launches.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "support/rounds.hpp"

namespace {

struct Call {
  int64_t start, duration, correlation;
  std::string api, thread;
};
struct Work {
  int64_t start, duration, correlation;
  kr::OperationKind kind;
  int32_t device;
  int64_t stream;
};

struct Sums {
  int64_t calls = 0, operations = 0, total = 0, delay = 0, brief = 0, running = 0;
};

const Call* call_of(const std::vector<Call>& calls, const Work& work) {
  for (const Call& call : calls) {
    if (call.correlation == work.correlation) return &call;
  }
  return nullptr;
}

bool launches(const Call& call, const std::vector<Work>& all) {
  return std::any_of(all.begin(), all.end(),
                     [&](const Work& work) { return work.correlation == call.correlation; });
}

std::map<std::string, Sums> slow_sums(const std::vector<Call>& calls,
                                      const std::vector<Work>& all) {
  std::map<std::string, Sums> sums;
  for (const Call& call : calls) {
    if (!launches(call, all)) continue;
    Sums& sum = sums[call.api];
    ++sum.calls;
    sum.total += call.duration;
  }
  for (const Work& work : all) {
    const Call* call = call_of(calls, work);
    if (call == nullptr) continue;
    Sums& sum = sums[call->api];
    ++sum.operations;
    sum.delay += work.start - call->start;
    if (work.kind != kr::OperationKind::kernel) continue;
    sum.brief += work.duration < call->duration ? 1 : 0;
    std::optional<int64_t> next;
    for (const Call& other : calls) {
      if (other.thread != call->thread || other.start <= call->start || !launches(other, all)) {
        continue;
      }
      if (!next || other.start < *next) next = other.start;
    }
    sum.running += next && work.start <= *next && *next < work.start + work.duration ? 1 : 0;
  }
  return sums;
}

/// The length of the queue of a stream, at every call that launches to it and at every nanosecond.
void check_queues(const std::vector<Call>& calls, const std::vector<Work>& all,
                  const std::vector<kr::analyze::StreamQueue>& got) {
  size_t streams = 0;
  for (const int32_t device : {0, 1}) {
    for (const int64_t stream : {0, 1}) {
      std::vector<Work> own;
      for (const Work& work : all) {
        if (work.device == device && work.stream == stream && call_of(calls, work) != nullptr) {
          own.push_back(work);
        }
      }
      if (own.empty()) continue;
      ++streams;
      const auto queued = [&](int64_t time) {
        return std::count_if(own.begin(), own.end(), [&](const Work& work) {
          return call_of(calls, work)->start <= time && time < work.start;
        });
      };
      int64_t count = 0, sum = 0, max = 0, area = 0;
      int64_t first = INT64_MAX, last = 0;
      for (const Call& call : calls) {
        if (!launches(call, own)) continue;
        ++count;
        sum += queued(call.start);
        max = std::max<int64_t>(max, queued(call.start));
        first = std::min(first, call.start);
      }
      for (const Work& work : own) last = std::max(last, work.start);
      for (int64_t time = first; time < last; ++time) area += queued(time);
      const auto found =
          std::find_if(got.begin(), got.end(), [&](const kr::analyze::StreamQueue& queue) {
            return queue.device == device && queue.stream == stream;
          });
      REQUIRE(found != got.end());
      CHECK(found->launches == count);
      CHECK(found->operations == static_cast<int64_t>(own.size()));
      CHECK(found->max == max);
      CHECK(found->mean == doctest::Approx(static_cast<double>(sum) / static_cast<double>(count)));
      const double mean =
          last > first ? static_cast<double>(area) / static_cast<double>(last - first) : 0.0;
      CHECK(found->time_weighted_mean == doctest::Approx(mean));
    }
  }
  CHECK(got.size() == streams);
}

}  // namespace

TEST_CASE("launches and queues are those of a slow computation") {
  std::mt19937 random(11);
  const auto below = [&](int64_t limit) { return static_cast<int64_t>(random()) % limit; };
  // A kernel that begins with the next call does not run then: found in round 4.
  for (uint64_t round = 0; round < kr::test::rounds(1000, 4); ++round) {
    CAPTURE(round);
    std::vector<Call> calls;
    std::vector<Work> all;
    int64_t start = 0;
    for (int64_t i = 0; i < 1 + below(12); ++i) {
      start += 1 + below(15);  // no two of one thread begin at once
      calls.push_back({start, below(12), i, below(2) == 0 ? "cudaLaunchKernel" : "cudaGraphLaunch",
                       below(2) == 0 ? "1" : "2"});
      for (int64_t k = below(4); k > 0; --k) {
        all.push_back({start + below(60), 1 + below(9), below(8) == 0 ? 100 + i : i,
                       below(4) == 0 ? kr::OperationKind::memcpy : kr::OperationKind::kernel,
                       static_cast<int32_t>(below(2)), below(2)});
      }
    }
    // Operations with the same start on a device differ only in length.
    std::sort(all.begin(), all.end(), [](const Work& a, const Work& b) {
      return std::tie(a.device, a.start) < std::tie(b.device, b.start);
    });
    all.erase(std::unique(all.begin(), all.end(),
                          [](const Work& a, const Work& b) {
                            return a.device == b.device && a.start == b.start;
                          }),
              all.end());

    kr::trace::TraceBuilder builder("t.json", "kineto-json");
    kr::trace::HostTrace& host = builder.host();
    const auto number = [](auto& list, auto value) {
      const auto at = std::find(list.begin(), list.end(), value);
      if (at != list.end()) return static_cast<uint32_t>(at - list.begin());
      list.push_back(value);
      return static_cast<uint32_t>(list.size() - 1);
    };
    for (const Call& call : calls) {
      host.launches.push_back({call.correlation, call.start, call.duration,
                               number(host.calls, kr::trace::HostCall{call.api, false}),
                               number(host.threads, kr::trace::HostThread{"1", call.thread})});
    }
    for (const Work& work : all) {
      kr::trace::Track track;
      track.device = work.device;
      track.stream = work.stream;
      builder.add({work.start, work.duration, builder.name("k", work.kind), builder.track(track)});
      builder.add_correlations(&work.correlation, 1);
    }
    const kr::trace::Trace trace = std::move(builder).finish();
    const kr::analyze::LaunchStatistics got = kr::analyze::count_launches(trace);

    int64_t linked = 0;
    for (const Work& work : all) linked += call_of(calls, work) != nullptr ? 1 : 0;
    CHECK(got.linked == linked);
    CHECK(got.orphans == static_cast<int64_t>(all.size()) - linked);
    const auto expected = slow_sums(calls, all);
    CHECK(got.by_api.size() == expected.size());
    for (const kr::analyze::LaunchCalls& one : got.by_api) {
      const Sums& sum = expected.at(one.api);
      CHECK(one.instances == sum.calls);
      CHECK(one.operations == sum.operations);
      CHECK(one.total_ns == sum.total);
      CHECK(one.delay_mean_ns ==
            doctest::Approx(static_cast<double>(sum.delay) / static_cast<double>(sum.operations)));
      CHECK(one.short_kernels == sum.brief);
      CHECK(one.running_at_next_launch == sum.running);
    }
    check_queues(calls, all, got.queues);
  }
}
