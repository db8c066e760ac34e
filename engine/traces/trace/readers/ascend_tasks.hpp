// Types of tasks of Ascend NPUs, as timelines and tables of msprof and torch_npu spell them.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "base/operation_kind.hpp"

namespace kr::trace {

/// Waits, signals and marks of the runtime: a stream does nothing in that time.
inline bool is_ascend_signal(std::string_view type) noexcept {
  constexpr std::array<std::string_view, 13> signals{
      "EVENT_WAIT",       "EVENT_RECORD",      "EVENT_WAIT_SQE",  "EVENT_RECORD_SQE",
      "NOTIFY_WAIT",      "NOTIFY_RECORD",     "NOTIFY_WAIT_SQE", "NOTIFY_RECORD_SQE",
      "MODEL_MAINTAINCE", "PROFILER_TRACE_EX", "CAPTURE_WAIT",    "CAPTURE_RECORD",
      "PLACE_HOLDER_SQE"};
  return std::ranges::find(signals, type) != signals.end();
}

/// Copies are the tasks of engines that only copy.
inline OperationKind ascend_kind(std::string_view type) noexcept {
  const bool copy = type == "SDMA_SQE" || type == "PCIE_DMA_SQE";
  return copy ? OperationKind::memcpy : OperationKind::kernel;
}

}  // namespace kr::trace
