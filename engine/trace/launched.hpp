// The operations of a trace by the call that launched them, where more is asked of a call than of
// an operation by itself: what else it launched, what its thread did next.
//
// Memory: 4 bytes an operation and 4 a call that launched any; while it is made, a bit and a half a
// call more.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/range_sweep.hpp"

namespace kr {

/// Of calls that launched anything, in their order. The HostSide has to outlive it.
class LaunchedOperations {
 public:
  explicit LaunchedOperations(const HostSide& host);

  size_t size() const noexcept { return begins_.size() - 1; }
  uint32_t launch(size_t i) const noexcept { return host_->launch_of[order_[begins_[i]]]; }
  /// Their places in the trace, rising.
  std::span<const uint32_t> operations(size_t i) const noexcept {
    return {order_.data() + begins_[i], begins_[i + 1] - begins_[i]};
  }

 private:
  const HostSide* host_;
  std::vector<uint32_t> order_;   // operations
  std::vector<uint32_t> begins_;  // in `order_`, and the end
};

/// As `fold_ranges`, of the launch of every operation that has one: calls `tell(operation, state)`.
template <class State, class Add, class Tell>
void fold_ranges_of_operations(const HostSide& host, const State& outside, const Add& add,
                               const Tell& tell) {
  const LaunchedOperations launched(host);
  size_t next = 0;
  fold_ranges(host, outside, add, [&](uint32_t launch, const State& state) {
    if (next == launched.size() || launched.launch(next) != launch) return;
    for (const uint32_t operation : launched.operations(next)) tell(operation, state);
    ++next;
  });
}

}  // namespace kr
