#include "trace/call_kinds.hpp"

#include <array>

#include "base/ascii.hpp"

namespace kr::trace {
namespace {

std::string_view drop_end(std::string_view text, std::string_view end) {
  return text.ends_with(end) ? text.substr(0, text.size() - end.size()) : text;
}

struct WaitingCall {
  std::string_view name;  // behind `cuda`, `cu` or `hip`
  CallKind kind;
};
constexpr std::array waiting_calls{WaitingCall{"StreamSynchronize", CallKind::stream_synchronize},
                                   WaitingCall{"DeviceSynchronize", CallKind::device_synchronize},
                                   WaitingCall{"ThreadSynchronize", CallKind::device_synchronize},
                                   WaitingCall{"CtxSynchronize", CallKind::device_synchronize},
                                   WaitingCall{"EventSynchronize", CallKind::event_synchronize}};

// Of other devices: Level Zero and Unified Runtime of XPUs, MTIA, and CANN of Ascend.
constexpr std::array other_waiting_calls{
    WaitingCall{"zeCommandListHostSynchronize", CallKind::stream_synchronize},
    WaitingCall{"zeCommandQueueSynchronize", CallKind::stream_synchronize},
    WaitingCall{"zeEventHostSynchronize", CallKind::event_synchronize},
    WaitingCall{"zeFenceHostSynchronize", CallKind::event_synchronize},
    WaitingCall{"urQueueFinish", CallKind::stream_synchronize},
    WaitingCall{"urEventWait", CallKind::event_synchronize},
    WaitingCall{"synchronizeStream", CallKind::stream_synchronize},
    WaitingCall{"AscendCL@aclrtSynchronizeStream", CallKind::stream_synchronize},
    WaitingCall{"AscendCL@aclrtSynchronizeStreamWithTimeout", CallKind::stream_synchronize},
    WaitingCall{"AscendCL@aclrtSynchronizeDevice", CallKind::device_synchronize},
    WaitingCall{"AscendCL@aclrtSynchronizeDeviceWithTimeout", CallKind::device_synchronize},
    WaitingCall{"AscendCL@aclrtSynchronizeEvent", CallKind::event_synchronize},
    WaitingCall{"AscendCL@aclrtSynchronizeEventWithTimeout", CallKind::event_synchronize}};

}  // namespace

bool is_driver_call(std::string_view name) noexcept {
  return name.size() > 2 && name.starts_with("cu") && is_upper(name[2]);
}

std::string_view without_version(std::string_view name) noexcept {
  size_t digits = name.size();
  while (digits > 0 && is_digit(name[digits - 1])) --digits;
  return digits < name.size() ? drop_end(name.substr(0, digits), "_v") : name;
}

CallKind call_kind_of(std::string_view name) noexcept {
  for (const std::string_view head : {"cuda", "cu", "hip"}) {
    if (!name.starts_with(head)) continue;
    std::string_view rest = name.substr(head.size());
    if (rest.starts_with("Memcpy")) return CallKind::copy;
    rest = without_version(rest);
    rest = without_version(drop_end(drop_end(rest, "_ptsz"), "_ptds"));
    for (const WaitingCall& one : waiting_calls) {
      if (rest == one.name) return one.kind;
    }
  }
  if (name.starts_with("AscendCL@aclrtMemcpy")) return CallKind::copy;
  for (const WaitingCall& one : other_waiting_calls) {
    if (name == one.name) return one.kind;
  }
  return CallKind::other;
}

bool is_kernel_launch(std::string_view name) noexcept {
  if (name.find(' ') != name.npos) return false;  // a text of a program
  for (const std::string_view part :
       {"LaunchKernel", "LaunchCooperativeKernel", "KernelLaunch", "GraphLaunch"}) {
    if (name.find(part) != name.npos) return true;
  }
  return without_version(name) == "cudaLaunch";
}

bool is_capture_begin(std::string_view name) noexcept {
  return name.find("StreamBeginCapture") != name.npos;
}

bool is_capture_end(std::string_view name) noexcept {
  return name.find("StreamEndCapture") != name.npos;
}

bool is_stream_wait(std::string_view name) noexcept {
  for (const std::string_view head : {"cuda", "cu", "hip"}) {
    if (!name.starts_with(head)) continue;
    if (name.substr(head.size()).starts_with("StreamWaitEvent")) return true;
  }
  return false;
}

}  // namespace kr::trace
