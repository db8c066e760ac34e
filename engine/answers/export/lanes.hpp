// The lanes of intervals that overlap on one stream or thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace kr::exports {

/// Intervals side by side, so that no two on one lane overlap: viewers of traces do not show slices
/// that overlap on a track and are not inside each other. In order of start.
class Lanes {
 public:
  /// The first lane that is free at `start_ns`.
  size_t take(int64_t start_ns, int64_t end_ns) {
    while (!busy_.empty() && busy_.top().first <= start_ns) {
      free_.push(busy_.top().second);
      busy_.pop();
    }
    size_t lane = count_;
    if (free_.empty()) {
      ++count_;
    } else {
      lane = free_.top();
      free_.pop();
    }
    busy_.emplace(end_ns, lane);
    return lane;
  }

 private:
  template <class T>
  using Least = std::priority_queue<T, std::vector<T>, std::greater<>>;
  Least<std::pair<int64_t, size_t>> busy_;  // by end
  Least<size_t> free_;
  size_t count_ = 0;
};

/// Intervals that mostly are inside each other, on lane 0; those that end after the one that they
/// began in are side by side on other lanes. In order of start, the longer first.
class NestedLanes {
 public:
  /// Before, calls `ended(time)` for what has ended on lane 0, the innermost first.
  template <class Ended>
  size_t take(int64_t start_ns, int64_t end_ns, const Ended& ended) {
    while (!open_.empty() && open_.back() <= start_ns) pop(ended);
    if (!open_.empty() && open_.back() < end_ns) return 1 + crossing_.take(start_ns, end_ns);
    open_.push_back(end_ns);
    return 0;
  }
  template <class Ended>
  void finish(const Ended& ended) {
    while (!open_.empty()) pop(ended);
  }

 private:
  template <class Ended>
  void pop(const Ended& ended) {
    ended(open_.back());
    open_.pop_back();
  }

  std::vector<int64_t> open_;  // ends, the outermost first
  Lanes crossing_;
};

}  // namespace kr::exports
