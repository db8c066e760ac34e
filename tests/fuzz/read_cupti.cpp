// libFuzzer: bytes as a CSV of CUPTI activity.
#include "fuzz/trace_pieces.hpp"
#include "trace/readers/cupti_csv.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return kr::test::same_in_pieces<kr::trace::CsvReading>(
      data, size, kr::trace::read_cupti_csv, {.block_size = size_t{1} << 22, .threads = 1},
      {{.block_size = 48, .threads = 2}});
}
