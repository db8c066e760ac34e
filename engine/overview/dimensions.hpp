// Which dimensions runs have, and what a name got in one.
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

/// All dimensions of any of the runs: stage and substage first, `kind` last, others by name.
std::vector<std::string> all_dimensions(std::span<const analyze::RunSummary* const> runs);

/// The label, or `absent` where the run does not have the dimension.
std::string_view label_of(const analyze::NameSum& name, std::optional<size_t> dimension,
                          std::string_view absent);

}  // namespace kr::overview
