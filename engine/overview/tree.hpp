// TreeViews as text, CSV and JSON: one source file an output.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "overview/report.hpp"
#include "trees/metric.hpp"

namespace kr::overview {

using Write = std::function<void(std::string_view)>;

/// `phase,step,layer,depth,path,name,label,invocations,total_ns` and the metric asked for: a row a
/// node shown. Cells are as they are.
void write_tree_csv(const trees::TreeView& view, std::optional<trees::Metric> metric,
                    const Write& write);
/// For a terminal: a tree a step, down to the level, then steps compared. With labels or vLLM's cut
/// a list a step.
void write_tree_text(const trees::TreeView& view, const trees::TreeRun& run, trees::Metric metric,
                     TableOptions options, const Write& write);

}  // namespace kr::overview
