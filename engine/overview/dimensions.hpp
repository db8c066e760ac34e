// The dimensions of runs, and the labels of names.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/summary.hpp"

namespace kr::overview {

/// Dimensions of any of the runs other than stage and substage, by name.
std::vector<std::string> further_dimensions(std::span<const analyze::RunSummary* const> runs);

/// The label, or `absent` if the run does not have the dimension.
std::string_view label_of(const analyze::NameSum& name, std::optional<size_t> dimension,
                          std::string_view absent);

}  // namespace kr::overview
