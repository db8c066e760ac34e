// What nodes of module trees cost with all below them, by what a profile says of single nodes
// (trace/module_costs.hpp).
//
// A node that says its FLOPs says them for the time of its whole subtree: a scope has the FLOPs,
// the kernels below it have the time. Of other nodes only the parts that say something are counted,
// with their time. So a rate is FLOPs ÷ time of the same parts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ncu/gpus.hpp"
#include "trace/module_trace.hpp"

namespace kr::cost {

/// FLOP/s of the width; none: not known, or those of the types of that width differ (`flops8` is
/// FP8 or INT8).
std::optional<double> peak_of_width(const ncu::GpuPeaks* gpu, trace::FlopWidth width);

/// The sum over a subtree. Above a ratio of 1 what the profile says or the peak is wrong.
class SubtreeCost {
 public:
  std::optional<double> flops() const;
  std::optional<int64_t> bytes() const;  // also none if it does not fit in 64 bits
  int64_t flops_ns() const { return flops_ns_; }
  int64_t bytes_ns() const { return bytes_ns_; }
  /// FLOPs of the width; none: there are none.
  std::optional<double> flops(trace::FlopWidth width) const {
    return by_width_[static_cast<size_t>(width)];
  }
  std::optional<double> flops_per_s() const;
  std::optional<double> bytes_per_s() const;
  /// FLOPs per byte; none unless both are known of the same parts.
  std::optional<double> intensity() const;
  /// Of the FLOPs in their widths; none unless all are known.
  std::optional<double> peak_flops_per_s() const;
  std::optional<double> peak_bytes_per_s() const { return bandwidth_; }
  std::optional<double> flops_peak_ratio() const;
  std::optional<double> bytes_peak_ratio() const;
  /// `compute` or `memory`; empty: not known.
  std::string_view bound() const;

 private:
  friend std::vector<SubtreeCost> subtree_costs(const trace::ModuleTrace& trace, size_t step,
                                                std::span<const trace::ModuleNode> nodes,
                                                const ncu::GpuPeaks* gpu);
  void add(const SubtreeCost& child);
  void say(const trace::NodeCost& own, int64_t total_ns);
  std::optional<double> seconds_at_peak() const;

  std::array<std::optional<double>, trace::flop_widths> by_width_ = {};
  std::optional<int64_t> bytes_;
  bool too_many_bytes_ = false;
  int64_t flops_ns_ = 0;
  int64_t bytes_ns_ = 0;
  bool all_both_ = true;  // whatever says one says the other
  std::optional<double> bandwidth_;
  const ncu::GpuPeaks* gpu_ = nullptr;
};

/// By node of the step's forest, which is `nodes`. `gpu`: whose peaks FLOPs are compared with, and
/// bytes where the profile lacks the bandwidth of the device; may be null. The bandwidth of a
/// subtree is that of all its devices, if they do not differ.
std::vector<SubtreeCost> subtree_costs(const trace::ModuleTrace& trace, size_t step,
                                       std::span<const trace::ModuleNode> nodes,
                                       const ncu::GpuPeaks* gpu);

}  // namespace kr::cost
