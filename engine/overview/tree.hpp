// Module trees on a terminal, and the CSV that existed before tables.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "overview/report.hpp"
#include "trees/view.hpp"

namespace kr::overview {

using Write = std::function<void(std::string_view)>;

/// `phase,step,layer,depth,path,name,label,invocations,total_ns` and the chosen metric: one row per
/// node shown. Formulas are not escaped.
void write_tree_csv(const trees::TreeView& view, std::optional<trees::Metric> metric,
                    const Write& write);
/// For a terminal: one tree per step, down to the level, then steps compared. With labels or vLLM's
/// cut one list per step.
void write_tree_text(const trees::TreeView& view, const trees::TreeRun& run, trees::Metric metric,
                     TableOptions options, const Write& write);

}  // namespace kr::overview
