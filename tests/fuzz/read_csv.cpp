// libFuzzer: bytes as a trace of text. Whatever they are, small blocks on threads and one block on
// none come to the same trace or the same Error.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "trace/readers/gpu_trace_csv.hpp"

namespace {

// A trace as a sum that differs where the traces do; an Error as its text.
std::string read(std::string_view text, const kr::CsvReading& reading) {
  const kr::OpenOptions options;
  try {
    kr::Input input(text, "t", options);
    kr::TraceBuilder builder("t", "csv");
    read_gpu_trace_csv(input, builder, reading);
    const kr::Trace trace = std::move(builder).finish();
    std::string out;
    for (const kr::Operation& operation : trace.operations) {
      const kr::Track& track = trace.track(operation.track);
      out += std::to_string(operation.start_ns) + ' ' + std::to_string(operation.duration_ns) +
             ' ' + std::to_string(track.device) + ' ' + std::to_string(track.stream) + ' ';
      out += trace.names.get(operation.name).text;
      out += '\n';
    }
    return out;
  } catch (const kr::Error& error) {
    return error.what();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string whole = read(text, {.block_size = size_t{1} << 22, .threads = 1});
  const bool same = read(text, {.block_size = 48, .threads = 2}) == whole;
  // Damaged packing may be met before or after a damaged row, as blocks will have it.
  if (!same && kr::compression_of(text) == kr::Compression::none) std::abort();
  return 0;
}
