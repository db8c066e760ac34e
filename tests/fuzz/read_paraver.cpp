// libFuzzer: bytes as a Paraver trace, whose types and rows are known.
#include "fuzz/trace_pieces.hpp"
#include "trace/readers/paraver_rows.hpp"

namespace {

constexpr std::string_view labels =
    "STATES\n17    Memory transfer\nEVENT_TYPE\n0 1 CUDA kernel\n0 2 NCCL kernel\nVALUES\n0 End\n"
    "1 one\n2 two\nEVENT_TYPE\n0 3 CUDA library call\nVALUES\n1 cudaLaunchKernel_v7000\n"
    "EVENT_TYPE\n0 4 NVTX ranges\n0 5 Memcopy size\n0 6 Correlation ID\n0 7 power\n";
constexpr std::string_view rows = "LEVEL THREAD SIZE 3\nTHREAD 1.1.1\nCUDA-D0.S7\nMetrics GPU0\n";

void read(kr::trace::Input& input, kr::trace::TraceBuilder& out) {
  kr::trace::read_paraver(input, out, kr::trace::ParaverNames(labels, rows));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const kr::trace::TraceFormat format{.name = "paraver", .read = read};
  return kr::test::same_in_pieces(data, size, format, {{48, 2}});
}
