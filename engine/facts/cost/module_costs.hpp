// What nodes of module trees cost with all below them, by what a profile says of single nodes
// (trace/module_costs.hpp).
//
// A node that says its FLOPs says them for the time of its whole subtree: a scope has the FLOPs,
// the kernels below it have the time. Of other nodes only the parts that say something are counted,
// with their time. So a rate is FLOPs ÷ time of the same parts.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
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
/// What the GPU reached with one of the types of the width, of those that were measured the
/// highest, if its data sheet has one peak for all of them. None: not known. Both may be null.
std::optional<double> reached_of_width(const ncu::GpuPeaks* sheet, const ncu::GpuPeaks* measured,
                                       trace::FlopWidth width);

/// What costs are compared with. Both may be null.
struct TreeGpu {
  /// Whose data sheet has peaks of FLOPs, and the bandwidth where the profile lacks it.
  const ncu::GpuPeaks* sheet = nullptr;
  std::shared_ptr<const ncu::GpuPeaks> measured = {};  // what was measured on this GPU
};

/// Which peaks: of the data sheet and the profile, or what the GPU reached.
enum class Peaks : uint8_t { published, measured };
constexpr size_t peaks_kinds = 2;

/// The sum over a subtree. Above a ratio of 1 of published peaks, what the profile says or the peak
/// is wrong; of measured ones it is possible.
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
  std::optional<double> peak_flops_per_s(Peaks of = Peaks::published) const;
  std::optional<double> peak_bytes_per_s(Peaks of = Peaks::published) const {
    return bandwidths_[static_cast<size_t>(of)];
  }
  std::optional<double> flops_peak_ratio(Peaks of = Peaks::published) const;
  std::optional<double> bytes_peak_ratio(Peaks of = Peaks::published) const;
  /// `compute` or `memory`, by published peaks; empty: not known.
  std::string_view bound() const;

 private:
  friend std::vector<SubtreeCost> subtree_costs(const trace::ModuleTrace& trace, size_t step,
                                                std::span<const trace::ModuleNode> nodes,
                                                const TreeGpu& gpu);
  void add(const SubtreeCost& child);
  void say(const trace::NodeCost& own, int64_t total_ns);
  std::optional<double> seconds_at_peak(Peaks of) const;
  std::optional<double> peak(Peaks of, trace::FlopWidth width) const;

  std::array<std::optional<double>, trace::flop_widths> by_width_ = {};
  std::optional<int64_t> bytes_;
  bool too_many_bytes_ = false;
  int64_t flops_ns_ = 0;
  int64_t bytes_ns_ = 0;
  bool all_both_ = true;  // whatever says one says the other
  std::array<std::optional<double>, peaks_kinds> bandwidths_ = {};
  const ncu::GpuPeaks* sheet_ = nullptr;
  const ncu::GpuPeaks* measured_ = nullptr;
};

/// By node of the step's forest, which is `nodes`. They refer to `gpu`, which has to outlive them.
/// The bandwidth of a subtree is that of all its devices, if they do not differ.
std::vector<SubtreeCost> subtree_costs(const trace::ModuleTrace& trace, size_t step,
                                       std::span<const trace::ModuleNode> nodes,
                                       const TreeGpu& gpu);

}  // namespace kr::cost
