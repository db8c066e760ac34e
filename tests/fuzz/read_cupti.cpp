// libFuzzer: bytes as a CSV of CUPTI activity. Whatever they are, small blocks on threads and one
// block on none come to the same trace or the same Error.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "trace/readers/cupti_csv.hpp"

namespace {

// A trace as a text that differs where the traces do; an Error as its text.
std::string read(std::string_view text, const kr::CsvReading& reading, bool allow_truncated) {
  kr::OpenOptions options;
  options.allow_truncated = allow_truncated;
  options.host_side = true;
  try {
    kr::Input input(text, "t", options);
    kr::TraceBuilder builder("t", "cupti-csv");
    read_cupti_csv(input, builder, reading);
    const kr::Trace trace = std::move(builder).finish();
    std::string out;
    for (size_t i = 0; i < trace.operations.size(); ++i) {
      const kr::Operation& operation = trace.operations[i];
      const kr::Track& track = trace.track(operation.track);
      out += std::to_string(operation.start_ns) + ' ' + std::to_string(operation.duration_ns) +
             ' ' + std::to_string(track.device) + ' ' + std::to_string(track.stream) + ' ' +
             std::to_string(trace.host->launch_of[i]) + ' ';
      out += trace.names.get(operation.name).text;
      out += '\n';
    }
    for (const kr::Launch& launch : trace.host->launches) {
      out += std::to_string(launch.start_ns) + ' ' + std::to_string(launch.duration_ns) + ' ' +
             trace.host->calls[launch.call].name + '\n';
    }
    for (const kr::Loss& loss : trace.losses) out += loss.what + std::to_string(loss.count);
    for (const std::string& warning : trace.warnings) out += warning;
    return out;
  } catch (const kr::Error& error) {
    return error.what();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const bool allow = size % 2 == 0;
  const std::string whole = read(text, {.block_size = size_t{1} << 22, .threads = 1}, allow);
  const bool same = read(text, {.block_size = 48, .threads = 2}, allow) == whole;
  // Damaged packing may be met before or after a damaged row, as blocks will have it.
  if (!same && kr::compression_of(text) == kr::Compression::none) std::abort();
  return 0;
}
