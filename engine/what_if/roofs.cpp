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

std::optional<double> RoofRatios::by_cost(uint32_t operation) const {
  if (roofs_.costs == nullptr || roofs_.gpu == nullptr) return std::nullopt;
  const uint32_t number = roofs_.costs->call_of[operation];
  if (number == cost::CostedRun::none) return std::nullopt;
  const cost::CostedCall& call = roofs_.costs->calls[number];
  cost::CostSum sum;
  const trace::Operation& longest = run_.trace.operations[call.longest];
  const match::OpCost& cost = roofs_.costs->cost(call);
  sum.add(cost, call.total_ns, roofs_.gpu, run_.trace.names.get(longest.name).text);
  if (sum.roof_ns() <= 0 || sum.above_peak()) return std::nullopt;
  return sum.at_roof_ns() / static_cast<double>(sum.roof_ns());
}

}  // namespace kr::what_if
