// A folder of CUPTI activity. Kernels, copies and sets are read before the calls that launched
// them, each file by itself and all into one trace.
#pragma once

#include "trace/readers/csv_stream.hpp"

namespace kr::trace {

void read_cupti_folder(Input& folder, TraceBuilder& out, const CsvReading& reading);

}  // namespace kr::trace
