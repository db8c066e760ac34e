#include "ncu/roof.hpp"

#include <algorithm>
#include <array>

namespace kr::ncu {
namespace {

struct PrecisionMeasures {
  std::string_view name;
  Measure flops, peak;
};
constexpr std::array<PrecisionMeasures, 4> precision_measures{
    {{"fp16", Measure::fp16_flops_per_s, Measure::fp16_peak_per_s},
     {"fp32", Measure::fp32_flops_per_s, Measure::fp32_peak_per_s},
     {"fp64", Measure::fp64_flops_per_s, Measure::fp64_peak_per_s},
     {"tensor", Measure::tensor_flops_per_s, Measure::tensor_peak_per_s}}};

const PrecisionMeasures& of_precision(Precision precision) {
  return precision_measures[static_cast<size_t>(precision)];
}

/// Nothing where one is not known, or the second is 0.
std::optional<double> part(const std::optional<double>& a, const std::optional<double>& b) {
  return a && b && *b > 0 ? std::optional(*a / *b) : std::nullopt;
}

constexpr double low_throughput = 0.6;
constexpr double high_throughput = 0.8;

}  // namespace

std::string_view to_string(Precision precision) noexcept {
  return of_precision(precision).name;
}

std::optional<double> flops_per_s(const Measures& of, Precision precision) noexcept {
  return of.get(of_precision(precision).flops);
}

std::optional<double> peak_per_s(const Measures& of, Precision precision) noexcept {
  return of.get(of_precision(precision).peak);
}

RooflinePoint roofline_point(const Measures& of, Precision precision) {
  RooflinePoint point;
  const auto peak = peak_per_s(of, precision);
  const auto bandwidth = of.get(Measure::dram_peak_bytes_per_s);
  point.flops_per_s = flops_per_s(of, precision);
  point.intensity = part(point.flops_per_s, of.get(Measure::dram_bytes_per_s));
  if (precision == Precision::tensor) {
    // Pages count these operations; the rate of DRAM may be of another pass.
    const auto counted = part(of.get(Measure::tensor_flops), of.get(Measure::dram_bytes));
    if (counted) point.intensity = counted;
  }
  point.ridge = part(peak, bandwidth);
  if (point.intensity && point.ridge) {
    point.roof = std::min(*peak, *point.intensity * *bandwidth);
    point.roof_ratio = part(point.flops_per_s, point.roof);
    point.bound = *point.intensity < *point.ridge ? "memory" : "compute";
  } else if (precision == Precision::tensor) {
    const auto fp32_ridge = part(of.get(Measure::fp32_peak_per_s), bandwidth);
    if (point.intensity && fp32_ridge && *point.intensity < *fp32_ridge) point.bound = "memory";
  }
  return point;
}

std::optional<Precision> main_precision(const Measures& of) noexcept {
  std::optional<Precision> found;
  double most = 0;
  for (const Precision one : all_precisions) {
    const auto flops = flops_per_s(of, one);
    if (!flops) continue;
    if (*flops > most) {
      most = *flops;
      found = one;
    }
    // Of none at all.
    if (!found && one == Precision::fp32) found = one;
  }
  return found;
}

std::string_view verdict(const Measures& of) noexcept {
  const auto compute = of.get(Measure::compute_ratio);
  const auto memory = of.get(Measure::memory_ratio);
  if (!compute || !memory) return {};
  if (*compute < low_throughput && *memory < low_throughput) return "latency";
  return *compute > *memory ? "compute" : "memory";
}

std::optional<bool> is_near_limit(const Measures& of) noexcept {
  const auto compute = of.get(Measure::compute_ratio);
  const auto memory = of.get(Measure::memory_ratio);
  if (!compute && !memory) return std::nullopt;
  return compute.value_or(0) > high_throughput || memory.value_or(0) > high_throughput;
}

std::optional<NearestRoof> nearest_roof(const Measures& of) {
  std::optional<NearestRoof> nearest;
  const auto offer = [&](std::string_view roof, const std::optional<double>& ratio) {
    if (!ratio || (nearest && *ratio <= nearest->ratio)) return;
    nearest = {roof, std::min(*ratio, 1.0)};
  };
  for (const Precision one : all_precisions) {
    offer(to_string(one), part(flops_per_s(of, one), peak_per_s(of, one)));
  }
  const auto dram = part(of.get(Measure::dram_bytes_per_s), of.get(Measure::dram_peak_bytes_per_s));
  offer("dram", dram ? dram : of.get(Measure::dram_ratio));
  offer("l2", part(of.get(Measure::l2_bytes_per_s), of.get(Measure::l2_peak_bytes_per_s)));
  const auto compute = of.get(Measure::compute_ratio);
  offer("compute", compute);
  offer("memory", of.get(Measure::memory_ratio));
  const auto tensor = flops_per_s(of, Precision::tensor);
  const bool tensor_known = tensor && (*tensor == 0 || peak_per_s(of, Precision::tensor));
  if (!compute && !tensor_known) return std::nullopt;
  return nearest;
}

}  // namespace kr::ncu
