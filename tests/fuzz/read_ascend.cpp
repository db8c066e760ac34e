// libFuzzer: bytes as a timeline and as a table of Ascend.
#include "fuzz/trace_pieces.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  kr::test::same_in_pieces(data, size, kr::trace::ascend_json_format, {{48, 2}});
  return kr::test::same_in_pieces(data, size, kr::trace::ascend_csv_format, {{48, 2}, {1, 1}});
}
