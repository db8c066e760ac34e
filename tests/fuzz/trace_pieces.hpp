// What a fuzzed reader of traces is held to: in small blocks on threads and in one block on none,
// it comes to the same trace or the same Error.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "trace/format.hpp"
#include "trace/input.hpp"
#include "trace/trace.hpp"

namespace kr::test {

/// A trace as a text that differs where the traces do; an Error as its text.
inline std::string trace_text(std::string_view text, const trace::TraceFormat& format,
                              trace::OpenOptions options, bool allow_truncated) {
  options.allow_truncated = allow_truncated;
  options.host = trace::HostDetail::all;
  options.memory = options.gpu_metrics = true;
  try {
    trace::Input input(text, "t", options);
    trace::TraceBuilder builder("t", "fuzzed");
    format.read(input, builder);
    const trace::Trace trace = std::move(builder).finish();
    std::string out;
    for (size_t i = 0; i < trace.operations.size(); ++i) {
      const trace::Operation& operation = trace.operations[i];
      const trace::Track& track = trace.track(operation.track);
      out += std::to_string(operation.start_ns) + ' ' + std::to_string(operation.duration_ns) +
             ' ' + std::to_string(track.device) + ' ' + std::to_string(track.stream) + ' ';
      if (trace.host) out += std::to_string(trace.host->launch_of[i]) + ' ';
      out += trace.names.get(operation.name).text;
      out += '\n';
    }
    if (trace.host) {
      for (const trace::Launch& launch : trace.host->launches) {
        out += std::to_string(launch.start_ns) + ' ' + std::to_string(launch.duration_ns) + ' ' +
               trace.host->calls[launch.call].name + '\n';
      }
    }
    if (trace.memory) {
      for (const trace::MemorySeries& one : trace.memory->series) {
        out += one.kind;
        for (const trace::MemoryEvent& event : one.events) {
          const trace::HostThread& thread = trace.memory->threads[event.thread];
          out += ' ' + std::to_string(event.time_ns) + ' ' + std::to_string(event.after.used) +
                 thread.process + ' ' + thread.thread;
        }
      }
    }
    if (trace.gpu_metrics) {
      for (const trace::GpuMetric& metric : trace.gpu_metrics->metrics) {
        out += metric.name;
        for (const trace::MetricSample& one : metric.samples) {
          out += ' ' + std::to_string(one.time_ns) + '=' + std::to_string(one.value);
        }
      }
    }
    for (const trace::DroppedRecords& records : trace.dropped)
      out += records.what + std::to_string(records.count);
    for (const kr::Warning& warning : trace.warnings) out += warning.text;
    return out + trace.inexact;
  } catch (const Error& error) {
    return error.what();
  }
}

struct Pieces {
  size_t block_size;
  unsigned threads;
};

/// Aborts where what is read depends on the pieces. 0, as libFuzzer wants it.
inline int same_in_pieces(const uint8_t* data, size_t size, const trace::TraceFormat& format,
                          std::initializer_list<Pieces> parts) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto told = [&](const Pieces& pieces) {
    trace::OpenOptions options;
    options.block_size = pieces.block_size;
    options.threads = pieces.threads;
    return trace_text(text, format, options, size % 2 == 0);
  };
  const std::string expected = told({size_t{1} << 22, 1});
  for (const Pieces& part : parts) {
    // Damaged packing may be met before or after a damaged row, as blocks will have it.
    if (told(part) != expected && trace::compression_of(text) == trace::Compression::none)
      std::abort();
  }
  return 0;
}

}  // namespace kr::test
