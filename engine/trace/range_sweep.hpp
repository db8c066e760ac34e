// What encloses each launch of a trace: launches are visited in their order, and the ranges of
// their thread are opened beside them. Ranges may overlap in any way. However many are open at a
// time, each is opened once and closed once, so that n ranges and launches take n log n.
//
// Each thread is a lane. What holds for all threads of a process is a lane of its own, opened once
// for all of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "trace/host_side.hpp"

namespace kr::trace {

class RangeSweep {
 public:
  explicit RangeSweep(const HostSide& host);

  /// The lane of the process of a thread; HostRange::none: there is none.
  uint32_t shared_lane(uint32_t thread) const noexcept {
    const uint32_t whole = host_->whole_process(thread);
    return whole == thread ? HostRange::none : whole;
  }

  /// Calls `open(range)` for the ranges of the lane that began by `time`, were not opened yet, and
  /// have not ended by then: in the order of begin, the longer first. Times of a lane never fall.
  template <class Open>
  void advance(uint32_t lane, int64_t time, const Open& open) {
    auto& [next, end] = lanes_[lane];
    for (; next < end && host_->ranges[next].start_ns <= time; ++next) {
      if (host_->ranges[next].end_ns > time) open(next);
    }
  }

 private:
  const HostSide* host_;
  std::vector<std::pair<uint32_t, uint32_t>> lanes_;  // [next, end) of the ranges
};

/// The open ranges of a lane, of which only the one that began last is asked for.
class InnermostRange {
 public:
  void open(uint32_t range) { open_.push_back(range); }
  /// HostRange::none: all have ended. Times never fall.
  uint32_t at(const HostSide& host, int64_t time) {
    while (!open_.empty() && host.ranges[open_.back()].end_ns <= time) open_.pop_back();
    return open_.empty() ? HostRange::none : open_.back();
  }

 private:
  std::vector<uint32_t> open_;  // with ended ones below the last
};

/// The open ranges of a lane, for those who have to know when each ends.
class RangeEnds {
 public:
  void open(uint32_t range, int64_t end_ns) {
    ends_.emplace_back(end_ns, range);
    std::push_heap(ends_.begin(), ends_.end(), later);
  }
  /// Calls `close(range)` for those that end by `time`.
  template <class Close>
  void close_until(int64_t time, const Close& close) {
    while (!ends_.empty() && ends_.front().first <= time) {
      const uint32_t range = ends_.front().second;
      std::pop_heap(ends_.begin(), ends_.end(), later);
      ends_.pop_back();
      close(range);
    }
  }

 private:
  using End = std::pair<int64_t, uint32_t>;
  static bool later(const End& a, const End& b) noexcept { return a > b; }
  std::vector<End> ends_;  // a heap, the first to end in front
};

}  // namespace kr::trace
