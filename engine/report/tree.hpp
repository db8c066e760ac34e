// TreeViews as text, CSV and JSON: one source file an output.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "modules/view.hpp"
#include "report/report.hpp"

namespace kr {

/// What is measured of a node.
enum class Metric : uint8_t { cuda_time_ms, pct_cuda_time, invocations };

std::optional<Metric> metric_from(std::string_view text);
std::string_view to_string(Metric metric);

/// Of a row of a step, as a decimal: ms with six digits after the point (exact), percent of the
/// step's total with six (rounded half up; empty where the step has no time), calls.
std::string metric_text(Metric metric, const ViewRow& row, const ViewStep& step);

/// What a run is called, for outputs that name it.
struct TreeRun {
  std::string id;
  std::string engine;
  std::string model;
};

using Write = std::function<void(std::string_view)>;

/// `phase,step,layer,depth,path,name,label,invocations,total_ns` and the metric asked for: a row a
/// node shown. Cells are as they are.
void write_tree_csv(const TreeView& view, std::optional<Metric> metric, const Write& write);
/// For a terminal: a tree a step, down to the level, then steps compared. With labels or vLLM's cut
/// a list a step.
void write_tree_text(const TreeView& view, const TreeRun& run, Metric metric, TableOptions options,
                     const Write& write);

/// How the time of kernels was placed: of trees made from operations, of all of them; else of the
/// steps shown, in modules or at the root.
AttributionSums attribution(const TreeView& view);

}  // namespace kr
