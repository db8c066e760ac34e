// libFuzzer: bytes as a CSV of CUPTI activity.
#include "fuzz/trace_pieces.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return kr::test::same_in_pieces(data, size, kr::trace::cupti_csv_format, {{48, 2}});
}
