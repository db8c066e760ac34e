// libFuzzer: bytes as a PyTorch trace.
#include "fuzz/trace_pieces.hpp"
#include "trace/readers/kineto_json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return kr::test::same_in_pieces<kr::trace::KinetoReading>(
      data, size, kr::trace::read_kineto_json, {.window_size = size_t{1} << 22, .threads = 1},
      {{.window_size = 48, .threads = 2}, {.window_size = 1, .threads = 1}});
}
