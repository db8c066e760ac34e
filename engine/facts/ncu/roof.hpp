// How far a kernel is from the roofs of its GPU, and what ncu says of it.
//
// Roofline model: of a kernel that computes F operations and moves B bytes, the intensity is F/B,
// the roof at that intensity min(peak, intensity × bandwidth), the ridge peak ÷ bandwidth. Below
// the ridge memory limits it, above it computing.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ncu/measure.hpp"

namespace kr::ncu {

enum class Precision : uint8_t { fp16, fp32, fp64, tensor };
constexpr Precision all_precisions[] = {Precision::fp16, Precision::fp32, Precision::fp64,
                                        Precision::tensor};
std::string_view to_string(Precision precision) noexcept;
std::optional<double> flops_per_s(const Measures& of, Precision precision) noexcept;
std::optional<double> peak_per_s(const Measures& of, Precision precision) noexcept;

/// A point of a roofline of DRAM. What is not known is nothing.
struct RooflinePoint {
  std::optional<double> flops_per_s;
  std::optional<double> intensity;   // operations per byte
  std::optional<double> ridge;       // the same
  std::optional<double> roof;        // operations per second at the intensity
  std::optional<double> roof_ratio;  // flops_per_s ÷ roof
  /// `memory` or `compute`; empty: not known. Without a peak of tensor cores, which is higher than
  /// that of FP32, a tensor kernel below the ridge of FP32 is limited by memory.
  std::string_view bound;
};
RooflinePoint roofline_point(const Measures& of, Precision precision);

/// The precision with most operations per second; nothing: none is known. Of none at all: FP32.
std::optional<Precision> main_precision(const Measures& of) noexcept;

/// ncu's own verdict by compute and memory throughput: `latency` if both are below 60 %, else the
/// greater, `compute` or `memory`; empty: one of them is not known.
std::string_view verdict(const Measures& of) noexcept;
/// ncu calls a kernel close to its limit where one of them is over 80 %.
std::optional<bool> is_near_limit(const Measures& of) noexcept;

/// The roof that a kernel is nearest to: it cannot take less than this part of its time without
/// less work.
struct NearestRoof {
  std::string_view roof;  // `fp16`, `fp32`, `fp64`, `tensor`, `dram`, `l2`, `compute`, `memory`
  double ratio = 0;       // of its time, at most 1
};
/// Of operations and bytes by their peaks, and of ncu's compute and memory throughput, including
/// tensor cores and caches. Nothing: no roof is known, or tensor operations may be what limits it:
/// they were not measured or have no peak, and neither has ncu's compute throughput been.
std::optional<NearestRoof> nearest_roof(const Measures& of);

}  // namespace kr::ncu
