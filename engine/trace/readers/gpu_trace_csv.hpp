// `nsys stats --report cuda_gpu_trace --format csv`, in every dialect (`gputrace` before 2023).
#pragma once

#include "trace/input.hpp"
#include "trace/readers/csv_stream.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

void read_gpu_trace_csv(Input& input, TraceBuilder& out, const CsvReading& reading = {});

}  // namespace kr::trace
