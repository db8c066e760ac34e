#include "report/tree.hpp"

#include <fmt/format.h>

#include "report/numbers.hpp"

namespace kr {

std::optional<Metric> metric_from(std::string_view text) {
  for (const Metric metric : {Metric::cuda_time_ms, Metric::pct_cuda_time, Metric::invocations}) {
    if (text == to_string(metric)) return metric;
  }
  return std::nullopt;
}

std::string_view to_string(Metric metric) {
  switch (metric) {
    case Metric::cuda_time_ms:
      return "cuda_time_ms";
    case Metric::pct_cuda_time:
      return "pct_cuda_time";
    case Metric::invocations:
      break;
  }
  return "invocations";
}

std::string metric_text(Metric metric, const ViewRow& row, const ViewStep& step) {
  switch (metric) {
    case Metric::cuda_time_ms:
      return fmt::format("{}.{:06}", row.total_ns / 1'000'000, row.total_ns % 1'000'000);
    case Metric::pct_cuda_time:
      return percent(row.total_ns, step.total_ns, 6);
    case Metric::invocations:
      break;
  }
  return fmt::format("{}", row.invocations);
}

AttributionSums attribution(const TreeView& view) {
  if (view.modules().attribution) return *view.modules().attribution;
  AttributionSums sums;
  std::vector<ModuleNode> nodes;
  for (const ViewStep& step : view.steps()) {
    view.trace().expand(step.index, nodes);
    for (uint32_t root = 0; root < nodes.size(); root = nodes[root].end) {
      (nodes[root].end == root + 1 ? sums.none_ns : sums.module_ns) += nodes[root].total_ns;
    }
  }
  return sums;
}

}  // namespace kr
