// libFuzzer: bytes as a page of ncu.
#include "fuzz/trace_pieces.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return kr::test::same_in_pieces(data, size, kr::trace::ncu_csv_format, {{48, 2}});
}
