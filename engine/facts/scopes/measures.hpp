// What is summed by scope, as small accumulators.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "trace/trace.hpp"

namespace kr::scopes {

/// From the first start to the last end of operations.
struct Extent {
  int64_t start_ns = std::numeric_limits<int64_t>::max();
  int64_t end_ns = std::numeric_limits<int64_t>::min();

  void add(const trace::Operation& operation) noexcept {
    start_ns = std::min(start_ns, operation.start_ns);
    end_ns = std::max(end_ns, operation.end_ns());
  }
  void add(const Extent& other) noexcept {
    start_ns = std::min(start_ns, other.start_ns);
    end_ns = std::max(end_ns, other.end_ns);
  }
  bool empty() const noexcept { return start_ns > end_ns; }
};

}  // namespace kr::scopes
