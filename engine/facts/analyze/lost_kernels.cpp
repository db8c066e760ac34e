#include "analyze/lost_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "trace/call_kinds.hpp"

namespace kr::analyze {
namespace {

enum class CallRole : uint8_t { other, launch, capture_begin, capture_end };

CallRole role_of(std::string_view name) {
  if (trace::is_kernel_launch(name)) return CallRole::launch;
  if (trace::is_capture_begin(name)) return CallRole::capture_begin;
  if (trace::is_capture_end(name)) return CallRole::capture_end;
  return CallRole::other;
}

/// Visits the outermost launching calls of each thread, in order of their start.
class LaunchingCalls {
 public:
  explicit LaunchingCalls(const trace::Trace& trace)
      : host_(*trace.host), linked_(host_.launches.size()), threads_(host_.threads.size()) {
    for (const trace::HostCall& call : host_.calls) roles_.push_back(role_of(call.name));
    for (const uint32_t launch : host_.launch_of) {
      if (launch != trace::HostRange::none) linked_[launch] = true;
    }
  }

  /// `visit(launch, has_operations)`.
  template <class Visit>
  void run(const Visit& visit) {
    for (uint32_t i = 0; i < host_.launches.size(); ++i) {
      const trace::Launch& launch = host_.launches[i];
      Thread& thread = threads_[launch.thread];
      switch (roles_[launch.call]) {
        case CallRole::capture_begin:
          thread.captures = true;
          break;
        case CallRole::capture_end:
          thread.captures = false;
          break;
        case CallRole::launch:
          add(thread, i, visit);
          break;
        case CallRole::other:
          break;
      }
    }
    for (Thread& thread : threads_) finish(thread, visit);
  }

 private:
  static constexpr uint32_t none = trace::HostRange::none;

  struct Thread {
    bool captures = false;
    uint32_t open = none;  // a launching call
    int64_t end_ns = 0;    // of it
    bool has_operations = false;
  };

  template <class Visit>
  void add(Thread& thread, uint32_t i, const Visit& visit) {
    const trace::Launch& launch = host_.launches[i];
    if (thread.open != none && launch.start_ns < thread.end_ns) {
      thread.has_operations = thread.has_operations || linked_[i];
      return;
    }
    finish(thread, visit);
    if (thread.captures && !linked_[i]) return;
    thread.open = i;
    thread.end_ns = launch.end_ns();
    thread.has_operations = linked_[i];
  }

  template <class Visit>
  void finish(Thread& thread, const Visit& visit) {
    if (thread.open != none) visit(host_.launches[thread.open], thread.has_operations);
    thread.open = none;
  }

  const trace::HostTrace& host_;
  std::vector<bool> linked_;  // by launch
  std::vector<CallRole> roles_;
  std::vector<Thread> threads_;
};

/// The outermost annotation of a thread at a time; none: there is none.
uint32_t annotation_at(const trace::HostTrace& host, uint32_t thread, int64_t time_ns) {
  const auto [first, end] = host.ranges_of(thread);
  const trace::HostRange* const ranges = host.ranges.begin();
  const trace::HostRange* const behind = std::partition_point(
      ranges + first, ranges + end,
      [&](const trace::HostRange& range) { return range.start_ns <= time_ns; });
  uint32_t found = trace::HostRange::none;
  if (behind == ranges + first) return found;
  auto at = static_cast<uint32_t>(behind - 1 - ranges);
  for (; at != trace::HostRange::none; at = ranges[at].parent) {
    const bool is_annotation = ranges[at].kind == trace::HostRange::Kind::annotation;
    if (is_annotation && ranges[at].contains(time_ns)) found = at;
  }
  return found;
}

}  // namespace

std::vector<LostKernels> find_lost_kernels(const trace::Trace& trace) {
  const trace::HostTrace& host = *trace.host;
  std::vector<LostKernels> by_call(host.calls.size());
  std::vector<const trace::Launch*> lost;
  int64_t last_ns = std::numeric_limits<int64_t>::min();  // of calls with operations
  LaunchingCalls(trace).run([&](const trace::Launch& launch, bool has_operations) {
    ++by_call[launch.call].launches;
    if (has_operations) {
      last_ns = std::max(last_ns, launch.start_ns);
    } else {
      lost.push_back(&launch);
    }
  });
  std::vector<std::map<std::string, int64_t>> annotations(host.calls.size());
  for (const trace::Launch* launch : lost) {
    LostKernels& of = by_call[launch->call];
    ++of.lost;
    if (launch->start_ns < last_ns) ++of.lost_inside;
    const uint32_t at = annotation_at(host, launch->thread, launch->start_ns);
    const bool any = at != trace::HostRange::none;
    ++annotations[launch->call][any ? host.range_names[host.ranges[at].name] : ""];
  }
  std::vector<LostKernels> out;
  for (size_t i = 0; i < by_call.size(); ++i) {
    if (by_call[i].lost == 0) continue;
    by_call[i].api = host.calls[i].name;
    by_call[i].annotations.assign(annotations[i].begin(), annotations[i].end());
    std::stable_sort(by_call[i].annotations.begin(), by_call[i].annotations.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    out.push_back(std::move(by_call[i]));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const LostKernels& a, const LostKernels& b) { return a.lost > b.lost; });
  return out;
}

std::string describe(const LostKernels& lost) {
  constexpr size_t max_listed = 3;
  std::string text =
      fmt::format("{} of {} launches by {} have no kernel", lost.lost, lost.launches, lost.api);
  const bool any = lost.annotations.size() > 1 ||
                   (!lost.annotations.empty() && !lost.annotations[0].first.empty());
  if (!any) return text;
  int64_t others = 0;
  std::string listed;
  for (size_t i = 0; i < lost.annotations.size(); ++i) {
    const auto& [name, count] = lost.annotations[i];
    if (i >= max_listed) {
      others += count;
      continue;
    }
    listed += fmt::format("{}{}: {}", i == 0 ? "" : ", ",
                          name.empty() ? "outside of annotations" : name, count);
  }
  if (others > 0)
    listed += fmt::format(", {} others: {}", lost.annotations.size() - max_listed, others);
  return fmt::format("{} (by annotation: {})", text, listed);
}

}  // namespace kr::analyze
