#include "what_if/roofs.hpp"

#include <algorithm>

#include "cost/rates.hpp"

namespace kr::what_if {

RoofRatios::RoofRatios(const analyze::LabelledTrace& run, const analyze::RunSummary& summary,
                       const Roofs& roofs)
    : run_(run), roofs_(roofs) {
  if (roofs.ncu == nullptr) return;
  for (const ncu::RunKernel& kernel : roofs.ncu->run) {
    ncu::RoofTime time;
    for (const ncu::TimeShare& share : kernel.time.shares) {
      time.add(roofs.ncu->kernels[share.kernel], share.time_ns);
    }
    if (time.with_roof_ns <= 0 || time.with_roof_ns < time.measured_ns) continue;
    by_name_[summary.names[kernel.name].name] =
        static_cast<double>(time.at_roof_ns) / static_cast<double>(time.with_roof_ns);
  }
}

std::optional<double> RoofRatios::of(uint32_t operation) const {
  if (const auto ratio = by_cost(operation)) return ratio;
  const trace::Operation& one = run_.trace.operations[operation];
  const auto found = by_name_.find(run_.trace.names.get(one.name).text);
  return found != by_name_.end() ? std::optional(std::min(1.0, found->second)) : std::nullopt;
}

std::string RoofRatios::without() const {
  if (roofs_.costs == nullptr || roofs_.unknown_gpu.empty()) {
    return "none has a cost of FLOPs and bytes with known peaks";
  }
  return roofs_.unknown_gpu + " (--gpu NAME)";
}

std::optional<double> RoofRatios::by_cost(uint32_t operation) const {
  if (roofs_.costs == nullptr) return std::nullopt;
  const uint32_t number = roofs_.costs->call_of[operation];
  if (number == cost::CostedRun::none) return std::nullopt;
  const cost::CostedCall& call = roofs_.costs->calls[number];
  if (!call.has_roof || call.total_ns <= 0) return std::nullopt;
  const trace::Operation& longest = run_.trace.operations[call.longest];
  const double at_roof_s = cost::roof_time(roofs_.costs->cost(call), roofs_.costs->gpu,
                                           run_.trace.names.get(longest.name).text)
                               .at_least_s();
  // Times scatter: single calls may be a little above the roof.
  return std::min(1.0, at_roof_s * 1e9 / static_cast<double>(call.total_ns));
}

}  // namespace kr::what_if
