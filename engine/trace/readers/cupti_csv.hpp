// Activity records of CUPTI as CSV: a file a kind of activity (`conc_kernel.csv` or `kernel.csv`,
// `cuda_runtime.csv`, `cuda_driver.csv`, `gpu_memcpy.csv`, `gpu_memset.csv`), all of one run in a
// folder, or one such file by itself.
//
// Nobody's format: scripts write them from buffers of CUPTI, from tables of an nsys export
// (`CUPTI_ACTIVITY_KIND_KERNEL`), or from the events of a Chrome trace by category, with `ts`,
// `dur` and `args`. Fields are those of CUPTI's documentation (`CUpti_ActivityKernel`,
// `CUpti_ActivityMemcpy`, `CUpti_ActivityAPI`).
#pragma once

#include "trace/input.hpp"
#include "trace/readers/csv_stream.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

/// One file, or all files of a folder whose names say a kind of activity. Throws Error with line
/// and byte offset, and where there are none.
void read_cupti_csv(Input& input, TraceBuilder& out, const CsvReading& reading = {});

}  // namespace kr::trace
