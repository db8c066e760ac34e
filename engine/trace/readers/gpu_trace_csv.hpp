// `nsys stats --report cuda_gpu_trace --format csv`, in every dialect (`gputrace` before 2023).
//
// The text streams through a few blocks: this thread reads (and decompresses) and cuts it between
// rows, others parse, and this one merges what they found in the order of the file. Only where
// something stands that is no row (a header, what nsys prints between reports) is a block read
// here, line by line.
#pragma once

#include "trace/input.hpp"
#include "trace/trace.hpp"

namespace kr {

struct CsvReading {
  size_t block_size = size_t{256} << 10;
  unsigned threads = 0;  // that parse; 0: by the options of the input
};

void read_gpu_trace_csv(Input& input, TraceBuilder& out, const CsvReading& reading = {});

}  // namespace kr
