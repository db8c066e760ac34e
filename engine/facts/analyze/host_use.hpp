// What threads of the host do beside calling the GPU's runtime and driver.
#pragma once

#include <cstdint>

#include "trace/host_trace.hpp"

namespace kr::analyze {

struct HostUse {
  int64_t threads = 0;      // that made calls
  int64_t span_ns = 0;      // from the start of the first call to the end of the last
  int64_t in_calls_ns = 0;  // of the union of the calls of each thread; all threads added
};

HostUse host_use(const trace::HostTrace& host);

}  // namespace kr::analyze
