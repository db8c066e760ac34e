// From the calls of the host to the operations they launched.
#pragma once

#include "analyze/statistics.hpp"

namespace kr {

/// The trace has a host side.
LaunchStatistics count_launches(const Trace& trace);

}  // namespace kr
