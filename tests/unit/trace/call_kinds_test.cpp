#include "trace/call_kinds.hpp"

#include <doctest/doctest.h>

#include <utility>

TEST_CASE("functions that synchronize and copy, with and without suffixes") {
  using kr::trace::CallKind;
  for (const auto& one : {
           std::pair{"cudaStreamSynchronize", CallKind::stream_synchronize},
           {"cudaStreamSynchronize_v3020", CallKind::stream_synchronize},
           {"cudaStreamSynchronize_ptsz_v7000", CallKind::stream_synchronize},
           {"cuStreamSynchronize", CallKind::stream_synchronize},
           {"hipStreamSynchronize", CallKind::stream_synchronize},
           {"cudaDeviceSynchronize", CallKind::device_synchronize},
           {"cudaThreadSynchronize_v3020", CallKind::device_synchronize},
           {"cuCtxSynchronize", CallKind::device_synchronize},
           {"cuCtxSynchronize_v2", CallKind::device_synchronize},
           {"hipDeviceSynchronize", CallKind::device_synchronize},
           {"cudaEventSynchronize", CallKind::event_synchronize},
           {"hipEventSynchronize", CallKind::event_synchronize},
           {"cudaMemcpy", CallKind::copy},
           {"cudaMemcpyAsync_v3020", CallKind::copy},
           {"cuMemcpyHtoDAsync_v2", CallKind::copy},
           {"hipMemcpyWithStream", CallKind::copy},
           {"cudaStreamWaitEvent", CallKind::other},
           {"cudaEventQuery", CallKind::other},
           {"cudaMemsetAsync", CallKind::other},
           {"cudaGraphAddMemcpyNode", CallKind::other},
           {"cudaStreamSynchronizeX", CallKind::other},
           {"StreamSynchronize", CallKind::other},
           {"zeEventHostSynchronize", CallKind::event_synchronize},
           {"urQueueFinish", CallKind::stream_synchronize},
           {"urEventWaitX", CallKind::other},
           {"synchronizeStream", CallKind::stream_synchronize},
           {"AscendCL@aclrtSynchronizeDevice", CallKind::device_synchronize},
           {"AscendCL@aclrtMemcpyAsync", CallKind::copy},
           {"AscendCL@aclnnMm", CallKind::other},
           {"cuda", CallKind::other},
           {"", CallKind::other},
       }) {
    CAPTURE(one.first);
    CHECK(kr::trace::call_kind_of(one.first) == one.second);
  }
}
