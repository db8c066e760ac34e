// The metrics of a node of a module tree.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace kr::trees {

enum class Metric : uint8_t { cuda_time_ms, pct_cuda_time, invocations };

inline constexpr std::array<std::string_view, 3> metric_names{"cuda_time_ms", "pct_cuda_time",
                                                              "invocations"};

inline std::string_view to_string(Metric metric) {
  return metric_names[static_cast<size_t>(metric)];
}

}  // namespace kr::trees
