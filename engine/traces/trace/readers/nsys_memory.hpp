// Memory in an nsys export (`nsys profile --cuda-memory-usage=true`): the driver's calls in
// CUDA_GPU_MEMORY_USAGE_EVENTS, and its memory pools, there and in CUDA_GPU_MEMORY_POOL_EVENTS.
#pragma once

#include "trace/readers/nsys_schema.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

/// Fills TraceBuilder::memory if there are such events. False if the file had less than its tables
/// say.
bool read_nsys_memory(const SqliteTables& schema, const NsysLabels& labels, TraceBuilder& out);

}  // namespace kr::trace
