// From the calls of the host to the operations they launched.
#pragma once

#include "analyze/statistics.hpp"

namespace kr::analyze {

/// The trace has a host side.
LaunchStatistics count_launches(const trace::Trace& trace);

}  // namespace kr::analyze
