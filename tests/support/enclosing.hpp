// What encloses a launch, found by looking at every range.
#pragma once

#include <algorithm>
#include <tuple>
#include <vector>

#include "trace/host_trace.hpp"

namespace kr::test {

/// The ranges that hold the start of a launch, on its thread and for all of its process, in the
/// order in which they began.
inline std::vector<uint32_t> enclosing(const trace::HostTrace& host, const trace::Launch& launch) {
  const uint32_t shared = host.whole_process(launch.thread);
  std::vector<uint32_t> out;
  for (uint32_t i = 0; i < host.ranges.size(); ++i) {
    const trace::HostRange& range = host.ranges[i];
    const bool near = range.thread == launch.thread || range.thread == shared;
    if (near && range.contains(launch.start_ns)) out.push_back(i);
  }
  std::sort(out.begin(), out.end(), [&](uint32_t a, uint32_t b) {
    const auto key = [&](uint32_t i) {
      return std::tuple(host.ranges[i].start_ns, host.ranges[i].thread != shared, i);
    };
    return key(a) < key(b);
  });
  return out;
}

}  // namespace kr::test
