// Pages of Nsight Compute: `ncu --csv`, of a run or of a report (`--import`), as `--page details`
// or
// `--page raw`.
//
// ncu runs one kernel after the other and tells how long each took, not when. So operations follow
// each other without a gap in the order of their IDs, whatever their device and stream: elapsed is
// total.
#pragma once

#include "trace/input.hpp"
#include "trace/readers/csv_stream.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

/// Throws Error with line and byte offset; where no kernel has a duration, too.
void read_ncu_csv(Input& input, TraceBuilder& out, const CsvReading& reading = {});

}  // namespace kr::trace
