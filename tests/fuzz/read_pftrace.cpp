// libFuzzer: bytes as a Perfetto trace.
#include "fuzz/trace_pieces.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return kr::test::same_in_pieces(data, size, kr::trace::perfetto_format, {{48, 2}, {1, 1}});
}
