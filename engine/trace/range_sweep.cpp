#include "trace/range_sweep.hpp"

namespace kr::trace {

RangeSweep::RangeSweep(const HostSide& host) : host_(&host) {
  lanes_.reserve(host.threads.size());
  for (uint32_t i = 0; i < host.threads.size(); ++i) lanes_.push_back(host.ranges_of(i));
}

}  // namespace kr::trace
