// The calls of framework ops that enclose times on threads.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/host_ops.hpp"

namespace kr::trace {

/// Times of a thread rise. The calls have to outlive it.
class OpenOpCalls {
 public:
  OpenOpCalls(const HostOps& ops, size_t threads) : ops_(ops), lanes_(threads) {
    const auto& calls = ops.calls;
    for (uint32_t i = 0; i < calls.size(); ++i) {
      Lane& lane = lanes_[calls[i].thread];
      if (lane.end == 0) lane.next = i;
      lane.end = i + 1;
    }
  }

  /// As places in HostOps::calls, the outermost first. Some of them may have ended.
  const std::vector<uint32_t>& at(uint32_t thread, int64_t time) {
    Lane& lane = lanes_[thread];
    const auto& calls = ops_.calls;
    const auto close = [&](int64_t until) {
      while (!lane.open.empty() && calls[lane.open.back()].end_ns <= until) lane.open.pop_back();
    };
    for (; lane.next < lane.end && calls[lane.next].start_ns <= time; ++lane.next) {
      close(calls[lane.next].start_ns);
      lane.open.push_back(lane.next);
    }
    close(time);
    return lane.open;
  }

 private:
  struct Lane {
    uint32_t next = 0;
    uint32_t end = 0;
    std::vector<uint32_t> open;
  };
  const HostOps& ops_;
  std::vector<Lane> lanes_;  // by thread
};

}  // namespace kr::trace
