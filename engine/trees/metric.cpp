#include "trees/metric.hpp"

#include <fmt/format.h>

#include "table/numbers.hpp"

namespace kr::trees {

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
      return table::percent(row.total_ns, step.total_ns, 6);
    case Metric::invocations:
      break;
  }
  return fmt::format("{}", row.invocations);
}

}  // namespace kr::trees
