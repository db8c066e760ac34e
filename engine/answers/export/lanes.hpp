// The lanes of intervals that overlap on one stream or thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace kr::exports {

/// Intervals side by side, so that no two on one lane overlap: viewers of traces drop slices that
/// overlap on a track and are not inside each other.
class Lanes {
 public:
  /// The first lane that is free at `start_ns`. In order of start.
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

}  // namespace kr::exports
