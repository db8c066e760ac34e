// What threads of the host do beside calling the GPU's runtime and driver.
#pragma once

#include <cstdint>

#include "facts/fact.hpp"

namespace kr::analyze {

struct HostUse {
  static constexpr facts::Reads reads = facts::Reads::host;
  /// Absent: the format has no calls.
  static facts::Computed<HostUse> compute(const facts::Input& run);
  void saved(facts::Fields& io, const RunSummary& run);

  int64_t threads = 0;      // that made calls
  int64_t span_ns = 0;      // from the start of the first call to the end of the last
  int64_t in_calls_ns = 0;  // of the union of the calls of each thread; all threads added
};

}  // namespace kr::analyze
