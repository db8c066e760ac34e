// The JSON of PyTorch's profiler (Kineto), which is Chrome's trace format, of any size.
//
//     {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100"}],
//      "traceEvents": [
//        {"ph": "X", "cat": "kernel", "name": "…", "pid": 0, "tid": 7, "ts": 1021.345,
//        "dur": 12.064,
//         "args": {"device": 0, "stream": 7, "correlation": 42}},
//        …],
//      "baseTimeNanoseconds": 1711964646000000000}
//
// or directly a list of such events. Members may stand in any order. This thread reads (and
// inflates) and cuts the list between its events, others read these, and this one merges what they
// found in the order of the file. What stands around the list is read here.
#pragma once

#include <string_view>

#include "trace/input.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

struct KinetoReading {
  size_t window_size = size_t{256} << 10;
  unsigned threads = 0;  // that read events; 0: by the options of the input
};

/// Start times stay as they are written, from the epoch or from `baseTimeNanoseconds`.
/// Throws Error with the byte offset and the path inside the JSON.
void read_kineto_json(Input& input, TraceBuilder& out, const KinetoReading& reading = {});

/// Whether a text that begins so is a JSON object, or a list of objects.
bool may_be_kineto_json(std::string_view head) noexcept;

}  // namespace kr::trace
