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

namespace kr::trace {

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

/// A launch as `sweep_launches` visits it.
struct SweptLaunch {
  int64_t time;     // its start
  uint32_t thread;  // whose lane it is in
  uint32_t shared;  // the lane of its process; HostRange::none: there is none
  std::span<const uint32_t> operations;
};

/// Calls `visit(launch)` for the launch of every operation that has one, in order; before it,
/// `open(lane, range)` for the ranges that enclose it and no launch of the lane before it.
template <class Open, class Visit>
void sweep_launches(const HostSide& host, const Open& open, const Visit& visit) {
  const LaunchedOperations launched(host);
  RangeSweep sweep(host);
  for (size_t i = 0; i < launched.size(); ++i) {
    const Launch& launch = host.launches[launched.launch(i)];
    const uint32_t shared = sweep.shared_lane(launch.thread);
    for (const uint32_t lane : {launch.thread, shared}) {
      if (lane == HostRange::none) continue;
      sweep.advance(lane, launch.start_ns, [&](uint32_t range) { open(lane, range); });
    }
    visit(SweptLaunch{launch.start_ns, launch.thread, shared, launched.operations(i)});
  }
}

}  // namespace kr::trace
