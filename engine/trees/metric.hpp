// The metrics of a node of a module tree.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trees/view.hpp"

namespace kr::trees {

enum class Metric : uint8_t { cuda_time_ms, pct_cuda_time, invocations };

std::optional<Metric> metric_from(std::string_view text);
std::string_view to_string(Metric metric);

/// The metric of a row of a step, as a decimal: ms with six digits after the point (exact), percent
/// of the step's total with six (rounded half up; empty if the step has no time), calls.
std::string metric_text(Metric metric, const ViewRow& row, const ViewStep& step);

}  // namespace kr::trees
