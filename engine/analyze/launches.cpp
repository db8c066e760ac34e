#include "analyze/launches.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

namespace kr {
namespace {

struct ApiSums {
  int64_t instances = 0;
  int64_t operations = 0;
  int64_t total_ns = 0;
  long double delay_ns = 0;
  int64_t short_kernels = 0;
  int64_t running = 0;
};

/// By launch: whether it launched anything.
std::vector<bool> launching(const HostSide& host) {
  std::vector<bool> flags(host.launches.size(), false);
  for (const uint32_t launch : host.launch_of) {
    if (launch != HostRange::none) flags[launch] = true;
  }
  return flags;
}

/// By launch that launched anything: when the next such call of its thread began; none: there is
/// no other.
std::vector<int64_t> next_starts(const HostSide& host, const std::vector<bool>& launched) {
  constexpr int64_t never = std::numeric_limits<int64_t>::max();
  std::vector<int64_t> next(host.launches.size(), never);
  std::vector<int64_t> of_thread(host.threads.size(), never);
  for (size_t i = host.launches.size(); i-- > 0;) {
    if (!launched[i]) continue;
    const Launch& launch = host.launches[i];
    next[i] = of_thread[launch.thread];
    of_thread[launch.thread] = launch.start_ns;
  }
  return next;
}

/// Splits the idle time of each device: operations come in order of start.
void split_idle(const Trace& trace, LaunchStatistics& out) {
  std::map<int32_t, int64_t> covered_to;  // by device
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const Operation& operation = trace.operations[i];
    const auto [at, first] =
        covered_to.try_emplace(trace.track(operation.track).device, operation.start_ns);
    const int64_t idle = operation.start_ns - at->second;
    if (idle > 0) {
      const Launch* launch = trace.host->launch(i);
      const int64_t waited =
          launch == nullptr ? 0 : std::clamp<int64_t>(launch->start_ns - at->second, 0, idle);
      out.host_bound_ns += waited;
      out.other_ns += idle - waited;
    }
    at->second = std::max(at->second, operation.end_ns());
  }
}

/// When one operation was asked for, and when it began.
struct Wait {
  uint32_t launch;
  int64_t launched_ns;
  int64_t begun_ns;
};

StreamQueue queue_of(const Track& track, std::vector<Wait> waits) {
  StreamQueue out;
  out.device = track.device;
  out.stream = track.stream;
  out.operations = static_cast<int64_t>(waits.size());
  std::vector<int64_t> begun;
  begun.reserve(waits.size());
  long double waited = 0;
  for (const Wait& wait : waits) {
    begun.push_back(wait.begun_ns);
    waited += static_cast<long double>(wait.begun_ns - wait.launched_ns);
  }
  std::sort(begun.begin(), begun.end());
  std::sort(waits.begin(), waits.end(), [](const Wait& a, const Wait& b) {
    return std::tie(a.launched_ns, a.launch) < std::tie(b.launched_ns, b.launch);
  });
  long double sum = 0;
  size_t gone = 0;
  for (size_t i = 0; i < waits.size();) {
    // All that was asked for at this time, by however many calls.
    size_t end = i;
    int64_t calls = 0;
    for (; end < waits.size() && waits[end].launched_ns == waits[i].launched_ns; ++end) {
      calls += end == i || waits[end].launch != waits[end - 1].launch ? 1 : 0;
    }
    while (gone < begun.size() && begun[gone] <= waits[i].launched_ns) ++gone;
    const auto length = static_cast<int64_t>(end) - static_cast<int64_t>(gone);
    out.launches += calls;
    out.max = std::max(out.max, length);
    sum += static_cast<long double>(calls) * static_cast<long double>(length);
    i = end;
  }
  out.mean = static_cast<double>(sum / static_cast<long double>(out.launches));
  const int64_t time_ns = begun.back() - waits.front().launched_ns;
  if (time_ns > 0) {
    out.time_weighted_mean = static_cast<double>(waited / static_cast<long double>(time_ns));
  }
  return out;
}

std::vector<StreamQueue> queues(const Trace& trace) {
  std::map<std::pair<int32_t, int64_t>, std::vector<Wait>> by_stream;
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const Launch* launch = trace.host->launch(i);
    if (launch == nullptr) continue;
    const Operation& operation = trace.operations[i];
    const Track& track = trace.track(operation.track);
    // Clocks that are not quite the same: nothing begins before it is asked for.
    by_stream[{track.device, track.stream}].push_back(
        {trace.host->launch_of[i], launch->start_ns,
         std::max(operation.start_ns, launch->start_ns)});
  }
  std::vector<StreamQueue> out;
  out.reserve(by_stream.size());
  for (auto& [stream, waits] : by_stream) {
    Track track;
    track.device = stream.first;
    track.stream = stream.second;
    out.push_back(queue_of(track, std::move(waits)));
  }
  return out;
}

}  // namespace

LaunchStatistics count_launches(const Trace& trace) {
  const HostSide& host = *trace.host;
  LaunchStatistics out;
  const std::vector<bool> launched = launching(host);
  const std::vector<int64_t> next = next_starts(host, launched);
  std::vector<ApiSums> sums(host.calls.size());
  for (size_t i = 0; i < host.launches.size(); ++i) {
    if (!launched[i]) continue;
    ApiSums& sum = sums[host.launches[i].call];
    ++sum.instances;
    sum.total_ns += host.launches[i].duration_ns;
  }
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const uint32_t at = host.launch_of[i];
    if (at == HostRange::none) {
      ++out.orphans;
      continue;
    }
    ++out.linked;
    const Operation& operation = trace.operations[i];
    const Launch& launch = host.launches[at];
    ApiSums& sum = sums[launch.call];
    ++sum.operations;
    sum.delay_ns += static_cast<long double>(operation.start_ns - launch.start_ns);
    if (trace.names.get(operation.name).kind != OperationKind::kernel) continue;
    sum.short_kernels += operation.duration_ns < launch.duration_ns ? 1 : 0;
    constexpr int64_t never = std::numeric_limits<int64_t>::max();
    const bool running =
        next[at] != never && operation.start_ns <= next[at] && next[at] < operation.end_ns();
    sum.running += running ? 1 : 0;
  }
  for (size_t i = 0; i < sums.size(); ++i) {
    const ApiSums& sum = sums[i];
    if (sum.instances == 0) continue;
    const double delay =
        static_cast<double>(sum.delay_ns / static_cast<long double>(sum.operations));
    out.by_api.push_back({host.calls[i].name, sum.instances, sum.operations, sum.total_ns, delay,
                          sum.short_kernels, sum.running});
  }
  std::stable_sort(
      out.by_api.begin(), out.by_api.end(),
      [](const LaunchCalls& a, const LaunchCalls& b) { return a.total_ns > b.total_ns; });
  split_idle(trace, out);
  out.queues = queues(trace);
  return out;
}

}  // namespace kr
