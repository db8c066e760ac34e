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

std::optional<KnownRoof> RoofRatios::of(uint32_t operation) const {
  if (const auto roof = by_cost(operation)) return roof;
  const trace::Operation& one = run_.trace.operations[operation];
  const auto found = by_name_.find(run_.trace.names.get(one.name).text);
  if (found == by_name_.end()) return std::nullopt;
  return KnownRoof{std::min(1.0, found->second)};
}

std::string RoofRatios::without() const {
  if (roofs_.costs == nullptr || roofs_.unknown_gpu.empty()) {
    return "none has a cost of FLOPs and bytes with known peaks";
  }
  return roofs_.unknown_gpu + " (--gpu NAME)";
}

std::optional<KnownRoof> RoofRatios::by_cost(uint32_t operation) const {
  if (roofs_.costs == nullptr) return std::nullopt;
  const uint32_t number = roofs_.costs->call_of[operation];
  if (number == cost::CostedRun::none) return std::nullopt;
  const cost::CostedCall& call = roofs_.costs->calls[number];
  if (call.above_peak || call.total_ns <= 0) return std::nullopt;
  const trace::Operation& longest = run_.trace.operations[call.longest];
  const std::string_view kernel = run_.trace.names.get(longest.name).text;
  const match::OpCost& cost = roofs_.costs->cost(call);
  // Times scatter: single calls may be a little above the roof.
  const auto ratio = [&](const cost::RoofTime& time) {
    return std::min(1.0, time.at_least_s() * 1e9 / static_cast<double>(call.total_ns));
  };
  const cost::RoofTime measured = cost::roof_time(cost, roofs_.costs->measured_peaks.get(), kernel);
  if (measured.is_roof()) return KnownRoof{ratio(measured), true};
  if (!call.has_roof) return std::nullopt;
  return KnownRoof{ratio(cost::roof_time(cost, roofs_.costs->gpu, kernel))};
}

}  // namespace kr::what_if
