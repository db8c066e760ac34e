#include "trace/host_trace.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/in_parallel.hpp"
#include "trace/sort_in_place.hpp"

namespace kr::trace {
namespace {

// By old number the new one, of numbers that `before(a, b)` orders.
template <class Before>
std::vector<uint32_t> new_numbers(size_t count, const Before& before,
                                  std::vector<uint32_t>& order) {
  order.resize(count);
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), before);
  std::vector<uint32_t> renumbered(count);
  for (uint32_t i = 0; i < count; ++i) renumbered[order[i]] = i;
  return renumbered;
}

template <class T>
void reorder(std::vector<T>& values, const std::vector<uint32_t>& order) {
  std::vector<T> sorted;
  sorted.reserve(values.size());
  for (const uint32_t old : order) sorted.push_back(std::move(values[old]));
  values = std::move(sorted);
}

// Sorts `values`; by old number the new one.
template <class T>
std::vector<uint32_t> sort_numbered(std::vector<T>& values) {
  std::vector<uint32_t> order;
  auto renumbered = new_numbers(
      values.size(), [&](uint32_t a, uint32_t b) { return values[a] < values[b]; }, order);
  reorder(values, order);
  return renumbered;
}

bool launch_before(const Launch& a, const Launch& b) noexcept {
  if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
  // Above 32 bits may be the place of a process among those met, which depends on what else is in
  // the file.
  const auto a_number = static_cast<uint32_t>(a.correlation);
  const auto b_number = static_cast<uint32_t>(b.correlation);
  if (a_number != b_number) return a_number < b_number;
  return std::tie(a.call, a.thread, a.duration_ns, a.correlation) <
         std::tie(b.call, b.thread, b.duration_ns, b.correlation);
}

bool range_before(const HostRange& a, const HostRange& b) noexcept {
  if (a.thread != b.thread) return a.thread < b.thread;
  if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
  if (a.end_ns != b.end_ns) return a.end_ns > b.end_ns;
  return std::tie(a.kind, a.name, a.form) < std::tie(b.kind, b.name, b.form);
}

void order_calls(HostOps& ops, const std::vector<uint32_t>& thread) {
  for (OpCall& call : ops.calls) call.thread = thread[call.thread];
  sort_in_place(ops.calls.begin(), ops.calls.end(), [](const OpCall& a, const OpCall& b) {
    return std::tuple(a.thread, a.start_ns, -a.end_ns, a.op) <
           std::tuple(b.thread, b.start_ns, -b.end_ns, b.op);
  });
}

}  // namespace

void HostTrace::order() {
  const std::vector<uint32_t> thread = sort_numbered(threads);
  in_parallel(2, [&](size_t part) { part == 0 ? order_launches(thread) : order_ranges(thread); });
  for (HostOps* const calls : {ops.get(), frames.get()}) {
    if (calls != nullptr) order_calls(*calls, thread);
  }
}

void HostTrace::order_added() {
  const std::vector<uint32_t> thread = sort_numbered(threads);
  for (Launch& launch : launches) launch.thread = thread[launch.thread];
  order_ranges(thread);
  for (HostOps* const calls : {ops.get(), frames.get()}) {
    if (calls != nullptr) order_calls(*calls, thread);
  }
}

void HostTrace::order_launches(const std::vector<uint32_t>& thread) {
  const std::vector<uint32_t> call = sort_numbered(calls);
  for (Launch& launch : launches) {
    launch.call = call[launch.call];
    launch.thread = thread[launch.thread];
  }
  sort_in_place(launches.begin(), launches.end(), launch_before);
  index_launches();
}

void HostTrace::order_ranges(const std::vector<uint32_t>& thread) {
  order_names();
  for (HostRange& range : ranges) range.thread = thread[range.thread];
  group_ranges();
  sort_in_place(ranges.begin(), ranges.end(), range_before);
  nest();
  order_creations(thread);
}

void HostTrace::order_names() {
  if (!range_texts.empty()) range_texts.resize(range_names.size());
  std::vector<uint32_t> order;
  const std::vector<uint32_t> name = new_numbers(
      range_names.size(),
      [&](uint32_t a, uint32_t b) {
        if (const int less = range_names[a].compare(range_names[b]); less != 0) return less < 0;
        return !range_texts.empty() && range_texts[a] < range_texts[b];
      },
      order);
  reorder(range_names, order);
  if (!range_texts.empty()) reorder(range_texts, order);
  for (HostRange& range : ranges) range.name = name[range.name];
}

void HostTrace::order_creations(const std::vector<uint32_t>& thread) {
  for (NodeCreation& creation : creations) creation.thread = thread[creation.thread];
  std::vector<uint32_t> order;
  const std::vector<uint32_t> renumbered = new_numbers(
      creations.size(),
      [&](uint32_t a, uint32_t b) {
        return std::tie(creations[a].time_ns, creations[a].thread) <
               std::tie(creations[b].time_ns, creations[b].thread);
      },
      order);
  std::vector<NodeCreation> before(creations.begin(), creations.end());
  for (size_t i = 0; i < order.size(); ++i) creations[i] = before[order[i]];
  for (uint32_t& creation : creation_of) {
    if (creation != HostRange::none) creation = renumbered[creation];
  }
}

// A table of ranges is sorted by start, and threads take turns in it. What is one thread's is
// brought together, in its order, which leaves little to sort.
void HostTrace::group_ranges() {
  std::vector<uint32_t> next(threads.size() + 1);
  for (const HostRange& range : ranges) ++next[range.thread + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  GrowingArray<uint32_t> place;
  uint32_t* to = place.extend(ranges.size());
  for (const HostRange& range : ranges) *to++ = next[range.thread]++;
  for (uint32_t i = 0; i < ranges.size(); ++i) {
    while (place[i] != i) {
      const uint32_t other = place[i];
      std::swap(ranges[i], ranges[other]);
      std::swap(place[i], place[other]);
    }
  }
}

// Ranges of a thread may overlap without one enclosing the other. What has ended is taken off the
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

// Steps that double, back or forth, enclose the place, and halving finds it.
uint32_t HostTrace::find_launch(int64_t correlation, size_t& near) const noexcept {
  if (correlation == Launch::no_correlation || by_correlation_.empty()) return HostRange::none;
  const auto before = [&](size_t at) {
    return launches[by_correlation_[at]].correlation < correlation;
  };
  const size_t size = by_correlation_.size();
  size_t low = std::min(near, size - 1);
  size_t high = low;
  if (before(low)) {
    for (size_t step = 1; high < size && before(high); step *= 2) {
      low = high + 1;
      high = std::min(high + step, size);
    }
  } else {
    for (size_t step = 1; low > 0 && !before(low); step *= 2) {
      high = low;
      low -= std::min(low, step);
    }
    if (before(low)) ++low;
  }
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (before(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  near = low;
  const bool known = low < size && launches[by_correlation_[low]].correlation == correlation;
  return known ? by_correlation_[low] : HostRange::none;
}

uint32_t HostTrace::enclosing(uint32_t range, int64_t time, HostRange::Kind kind) const noexcept {
  const auto wanted = [&](const HostRange& one) { return one.kind == kind && one.contains(time); };
  uint32_t at = ranges[range].parent;
  while (at != HostRange::none && !wanted(ranges[at])) at = ranges[at].parent;
  return at;
}

uint32_t HostTrace::module_at(uint32_t thread, int64_t time) const noexcept {
  return innermost_at(thread, time, HostRange::Kind::module);
}

uint32_t HostTrace::innermost_at(uint32_t thread, int64_t time,
                                 HostRange::Kind kind) const noexcept {
  const HostRange* const first = ranges.begin() + first_range_[thread];
  const HostRange* const last = ranges.begin() + first_range_[thread + 1];
  const HostRange* const behind = std::partition_point(
      first, last, [&](const HostRange& range) { return range.start_ns <= time; });
  if (behind == first) return HostRange::none;
  const auto begun = static_cast<uint32_t>(behind - 1 - ranges.begin());
  const HostRange& range = ranges[begun];
  return range.kind == kind && range.contains(time) ? begun : enclosing(begun, time, kind);
}

std::vector<uint32_t> HostTrace::ranges_at(uint32_t thread, int64_t time,
                                           HostRange::Kind kind) const {
  std::vector<uint32_t> chain;
  for (uint32_t at = innermost_at(thread, time, kind); at != HostRange::none;
       at = enclosing(at, time, kind)) {
    chain.push_back(at);
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

std::string_view HostTrace::module_name(uint32_t range, uint32_t outer) const noexcept {
  const std::string_view name = range_names[ranges[range].name];
  if (outer == HostRange::none) return name;
  return module_below(name, range_names[ranges[outer].name]);
}

std::string_view module_below(std::string_view path, std::string_view above) noexcept {
  const bool inside = !above.empty() && path.size() > above.size() + 1 && path.starts_with(above) &&
                      path[above.size()] == '.';
  return inside ? path.substr(above.size() + 1) : path;
}

}  // namespace kr::trace
