// What a function of the CUDA or HIP runtime or driver does, by its name, with or without the
// version suffix that nsys adds (`_v3020`) and the suffix of per-thread streams (`_ptsz`); and
// those of the runtimes of XPUs, MTIA and Ascend that wait.
#pragma once

#include <cstdint>
#include <string_view>

namespace kr::trace {

enum class CallKind : uint8_t {
  other,
  stream_synchronize,  // returns when a stream has no more work
  device_synchronize,  // the same of a device or context
  event_synchronize,   // returns when an event has occurred
  copy,                // copies memory; whether it waits depends on the memory
};

/// `cudaStreamWaitEvent` and queries such as `cudaEventQuery` do not block: they are `other`.
CallKind call_kind_of(std::string_view name) noexcept;

/// Of the driver: its functions begin with `cu` and a capital, the runtime's with `cuda`.
bool is_driver_call(std::string_view name) noexcept;
/// `cudaLaunchKernel_v7000` is `cudaLaunchKernel`.
std::string_view without_version(std::string_view name) noexcept;

/// `cudaStreamWaitEvent` and its like: the stream waits, not the host.
bool is_stream_wait(std::string_view name) noexcept;

/// `cudaLaunchKernel`, `cuLaunchKernelEx`, `hipModuleLaunchKernel`, `urEnqueueKernelLaunch`:
/// kernels run because of it; also `cudaGraphLaunch`. Not `cudaLaunchHostFunc`.
bool is_kernel_launch(std::string_view name) noexcept;
/// `cudaStreamBeginCapture` and its like: what the thread launches from then on is captured into a
/// graph, and runs later. `cudaStreamEndCapture` ends it.
bool is_capture_begin(std::string_view name) noexcept;
bool is_capture_end(std::string_view name) noexcept;

constexpr bool is_synchronization(CallKind kind) noexcept {
  return kind == CallKind::stream_synchronize || kind == CallKind::device_synchronize ||
         kind == CallKind::event_synchronize;
}

}  // namespace kr::trace
