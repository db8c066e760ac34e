#include "trace/range_sweep.hpp"

#include <algorithm>
#include <tuple>

namespace kr {

RangeSweep::RangeSweep(const HostSide& host) : host_(&host), threads_(host.threads.size()) {
  for (uint32_t i = 0; i < threads_.size(); ++i) {
    Thread& thread = threads_[i];
    std::tie(thread.next, thread.end) = host.ranges_of(i);
    const uint32_t whole = host.whole_process(i);
    if (whole == HostRange::none || whole == i) continue;
    std::tie(thread.next_shared, thread.end_shared) = host.ranges_of(whole);
  }
}

/// Takes out what has ended. How many of the first are left as they were.
size_t RangeSweep::close(Thread& thread, int64_t time) const {
  if (time < thread.first_end) return thread.open.size();
  size_t unchanged = thread.open.size();
  size_t kept = 0;
  thread.first_end = INT64_MAX;
  for (size_t i = 0; i < thread.open.size(); ++i) {
    const int64_t end = host_->ranges[thread.open[i]].end_ns;
    if (end <= time) {
      unchanged = std::min(unchanged, i);
      continue;
    }
    thread.first_end = std::min(thread.first_end, end);
    thread.open[kept++] = thread.open[i];
  }
  thread.open.resize(kept);
  return unchanged;
}

/// The next range that begins by then, of either kind; none: there is none.
uint32_t RangeSweep::next_begun(Thread& thread, int64_t time) const {
  const auto start = [&](uint32_t at, uint32_t end) {
    return at < end ? host_->ranges[at].start_ns : INT64_MAX;
  };
  const int64_t shared = start(thread.next_shared, thread.end_shared);
  const int64_t own = start(thread.next, thread.end);
  if (thread.next_shared < thread.end_shared && shared <= time && shared <= own) {
    return thread.next_shared++;
  }
  return thread.next < thread.end && own <= time ? thread.next++ : HostRange::none;
}

RangeSweep::Open RangeSweep::at(uint32_t launch) {
  const int64_t time = host_->launches[launch].start_ns;
  Thread& thread = threads_[host_->launches[launch].thread];
  const size_t unchanged = close(thread, time);
  for (uint32_t range = next_begun(thread, time); range != HostRange::none;
       range = next_begun(thread, time)) {
    const int64_t end = host_->ranges[range].end_ns;
    if (end <= time) continue;
    thread.open.push_back(range);
    thread.first_end = std::min(thread.first_end, end);
  }
  return {thread.open, unchanged};
}

}  // namespace kr
