#include "trace/host_trace.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "trace/sort_in_place.hpp"

namespace kr::trace {
namespace {

// Sorts `values`; by old number the new one.
template <class T>
std::vector<uint32_t> sort_numbered(std::vector<T>& values) {
  std::vector<uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return values[a] < values[b]; });
  std::vector<uint32_t> renumbered(values.size());
  std::vector<T> sorted;
  sorted.reserve(values.size());
  for (const uint32_t old : order) {
    renumbered[old] = static_cast<uint32_t>(sorted.size());
    sorted.push_back(std::move(values[old]));
  }
  values = std::move(sorted);
  return renumbered;
}

bool launch_before(const Launch& a, const Launch& b) noexcept {
  return std::tie(a.start_ns, a.correlation, a.call, a.thread, a.duration_ns) <
         std::tie(b.start_ns, b.correlation, b.call, b.thread, b.duration_ns);
}

bool range_before(const HostRange& a, const HostRange& b) noexcept {
  return std::tie(a.thread, a.start_ns, b.end_ns, a.kind, a.name) <
         std::tie(b.thread, b.start_ns, a.end_ns, b.kind, b.name);
}

}  // namespace

void HostTrace::order() {
  const std::vector<uint32_t> thread = sort_numbered(threads);
  const std::vector<uint32_t> call = sort_numbered(calls);
  const std::vector<uint32_t> name = sort_numbered(range_names);
  for (Launch& launch : launches) {
    launch.call = call[launch.call];
    launch.thread = thread[launch.thread];
  }
  for (HostRange& range : ranges) {
    range.name = name[range.name];
    range.thread = thread[range.thread];
  }
  sort_in_place(launches.begin(), launches.end(), launch_before);
  sort_in_place(ranges.begin(), ranges.end(), range_before);
  nest();
  index_launches();
}

// Ranges of a thread may overlap without one holding the other. What has ended is taken off the
// stack from its top only, so no range that is open is ever lost.
void HostTrace::nest() {
  first_range_.assign(threads.size() + 1, static_cast<uint32_t>(ranges.size()));
  std::vector<uint32_t> open;
  uint32_t next_thread = 0;
  for (uint32_t i = 0; i < ranges.size(); ++i) {
    HostRange& range = ranges[i];
    if (i == 0 || range.thread != ranges[i - 1].thread) open.clear();
    while (next_thread <= range.thread) first_range_[next_thread++] = i;
    while (!open.empty() && ranges[open.back()].end_ns <= range.start_ns) open.pop_back();
    range.parent = open.empty() ? HostRange::none : open.back();
    open.push_back(i);
  }
  // Threads are sorted by process.
  whole_process_.assign(threads.size(), HostRange::none);
  for (uint32_t first = 0; first < threads.size();) {
    uint32_t end = first;
    uint32_t whole = HostRange::none;
    for (; end < threads.size() && threads[end].process == threads[first].process; ++end) {
      if (threads[end].whole_process) whole = end;
    }
    std::fill(whole_process_.begin() + first, whole_process_.begin() + end, whole);
    first = end;
  }
}

void HostTrace::index_launches() {
  uint32_t* to = by_correlation_.extend(launches.size());
  std::iota(to, to + launches.size(), 0U);
  sort_in_place(by_correlation_.begin(), by_correlation_.end(), [this](uint32_t a, uint32_t b) {
    const int64_t left = launches[a].correlation;
    const int64_t right = launches[b].correlation;
    return left != right ? left < right : a < b;
  });
}

uint32_t HostTrace::find_launch(int64_t correlation) const noexcept {
  if (correlation == Launch::no_correlation) return HostRange::none;
  const uint32_t* const found = std::partition_point(
      by_correlation_.begin(), by_correlation_.end(),
      [&](uint32_t launch) { return launches[launch].correlation < correlation; });
  const bool known = found != by_correlation_.end() && launches[*found].correlation == correlation;
  return known ? *found : HostRange::none;
}

uint32_t HostTrace::enclosing_module(uint32_t range, int64_t time) const noexcept {
  const auto wanted = [&](const HostRange& one) {
    return one.kind == HostRange::Kind::module && one.holds(time);
  };
  uint32_t at = ranges[range].parent;
  while (at != HostRange::none && !wanted(ranges[at])) at = ranges[at].parent;
  return at;
}

uint32_t HostTrace::module_of(const Launch& launch) const noexcept {
  const HostRange* const first = ranges.begin() + first_range_[launch.thread];
  const HostRange* const last = ranges.begin() + first_range_[launch.thread + 1];
  const HostRange* const behind = std::partition_point(
      first, last, [&](const HostRange& range) { return range.start_ns <= launch.start_ns; });
  if (behind == first) return HostRange::none;
  const auto begun = static_cast<uint32_t>(behind - 1 - ranges.begin());
  const HostRange& range = ranges[begun];
  return range.kind == HostRange::Kind::module && range.holds(launch.start_ns)
             ? begun
             : enclosing_module(begun, launch.start_ns);
}

std::vector<uint32_t> HostTrace::modules_of(const Launch& launch) const {
  std::vector<uint32_t> chain;
  for (uint32_t at = module_of(launch); at != HostRange::none;
       at = enclosing_module(at, launch.start_ns)) {
    chain.push_back(at);
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

}  // namespace kr::trace
