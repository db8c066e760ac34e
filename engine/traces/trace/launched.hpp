// The operations of a trace by the call that launched them, for questions about calls rather than
// operations: what else a call launched, what its thread did next.
//
// Memory: 4 bytes a call that launched any, while it is made 4 a call; and 4 bytes an operation,
// unless operations run in the order of their launches, as on one stream.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "trace/host_trace.hpp"

namespace kr::trace {

/// The places in a trace of operations of one launch, rising.
class LaunchPlaces {
 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = uint32_t;
    using difference_type = std::ptrdiff_t;
    using pointer = const uint32_t*;
    using reference = uint32_t;

    Iterator() = default;
    Iterator(const uint32_t* order, uint32_t at) : order_(order), at_(at) {}
    uint32_t operator*() const noexcept { return order_ == nullptr ? at_ : order_[at_]; }
    Iterator& operator++() noexcept {
      ++at_;
      return *this;
    }
    Iterator operator++(int) noexcept { return {order_, at_++}; }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const uint32_t* order_ = nullptr;
    uint32_t at_ = 0;
  };

  LaunchPlaces() = default;
  /// [first, end) of `order`; null: these places themselves.
  LaunchPlaces(const uint32_t* order, uint32_t first, uint32_t end)
      : order_(order), first_(first), end_(end) {}

  Iterator begin() const noexcept { return {order_, first_}; }
  Iterator end() const noexcept { return {order_, end_}; }
  size_t size() const noexcept { return end_ - first_; }
  bool empty() const noexcept { return end_ == first_; }

 private:
  const uint32_t* order_ = nullptr;
  uint32_t first_ = 0;
  uint32_t end_ = 0;
};

/// Of calls that launched anything, in their order. The HostTrace has to outlive it.
class LaunchedOperations {
 public:
  explicit LaunchedOperations(const HostTrace& host);

  size_t size() const noexcept { return begins_.size() - 1; }
  uint32_t launch(size_t i) const noexcept { return host_->launch_of[*operations(i).begin()]; }
  LaunchPlaces operations(size_t i) const noexcept {
    return {order_.empty() ? nullptr : order_.data(), begins_[i], begins_[i + 1]};
  }

 private:
  bool find_in_order();

  const HostTrace* host_;
  std::vector<uint32_t> order_;   // operations; empty: they are in the order of their launches
  std::vector<uint32_t> begins_;  // in `order_`, or of operations; and the end
};

/// A launch as `sweep_launches` visits it.
struct SweptLaunch {
  int64_t time;     // its start
  uint32_t thread;  // whose lane it is in
  uint32_t shared;  // the lane of its process; HostRange::none: there is none
  LaunchPlaces operations;
};

/// Opens ranges as times pass on their lanes. Each thread is a lane; what encloses all threads of
/// a process is a lane of its own, opened once for all of them. Ranges may overlap in any way.
class RangeLanes {
 public:
  explicit RangeLanes(const HostTrace& host);

  /// Calls `open(lane, range)` for the ranges that enclose that time and none before it, in the
  /// order of begin, the longer first. Times of a thread never fall. Returns what is visited.
  template <class Open>
  SweptLaunch advance(uint32_t thread, int64_t time, LaunchPlaces operations, const Open& open) {
    const uint32_t whole = host_->whole_process(thread);
    const uint32_t shared = whole == thread ? HostRange::none : whole;
    for (const uint32_t lane : {thread, shared}) {
      if (lane == HostRange::none) continue;
      auto& [next, end] = lanes_[lane];
      for (; next < end && host_->ranges[next].start_ns <= time; ++next) {
        if (host_->ranges[next].end_ns > time) open(lane, next);
      }
    }
    return {time, thread, shared, operations};
  }

 private:
  const HostTrace* host_;
  std::vector<std::pair<uint32_t, uint32_t>> lanes_;  // [next, end) of the ranges
};

/// Calls `visit(launch)` for the launch of every operation that has one, in order; before it,
/// `open(lane, range)` for what it begins to be enclosed by (see RangeLanes).
template <class Open, class Visit>
void sweep_launches(const HostTrace& host, const Open& open, const Visit& visit) {
  const LaunchedOperations launched(host);
  RangeLanes lanes(host);
  for (size_t i = 0; i < launched.size(); ++i) {
    const Launch& launch = host.launches[launched.launch(i)];
    visit(lanes.advance(launch.thread, launch.start_ns, launched.operations(i), open));
  }
}

/// Calls `visit(creation, launch)` for every creation of a node, in order, with its place in
/// HostTrace::creations; `launch` has no operations. As sweep_launches.
template <class Open, class Visit>
void sweep_creations(const HostTrace& host, const Open& open, const Visit& visit) {
  RangeLanes lanes(host);
  for (uint32_t i = 0; i < host.creations.size(); ++i) {
    const NodeCreation& creation = host.creations[i];
    visit(i, lanes.advance(creation.thread, creation.time_ns, {}, open));
  }
}

/// The open ranges of a lane, of which only the one that began last is used.
class InnermostRange {
 public:
  void open(uint32_t range) { open_.push_back(range); }
  /// HostRange::none: all have ended. Times never fall.
  uint32_t at(const HostTrace& host, int64_t time) {
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
