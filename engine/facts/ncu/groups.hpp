// Kernels of ncu put together: instances of one kernel, and kernels of one label, as means weighted
// by time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ncu/gpus.hpp"
#include "ncu/roof.hpp"

namespace kr::ncu {

/// Sums for means. What is not known of a part is not in the mean of that measure.
class Mean {
 public:
  void add(const Measures& of, double weight, double instances);
  Measures measures() const;

 private:
  struct Sum {
    double total = 0;
    double weight = 0;
  };
  std::array<Sum, measure_count> sums_{};
};

/// Distinct name, grid and block; times and instances are summed, measures are means, rules are
/// those of the longest instance. By descending time, then name, grid and block. `group_of`: by
/// kernel.
std::vector<MeasuredKernel> group(std::span<const MeasuredKernel> kernels,
                                  std::vector<uint32_t>& group_of);

/// Fills in the peaks that a page does not have.
void fill_peaks(MeasuredKernel& kernel, const GpuPeaks& gpu);

/// A line of a roofline.
struct Roof {
  bool is_memory = false;  // bytes per second, else operations
  std::string name;        // `FP32`, `BF16 tensor`, `DRAM`, `L2`
  double per_second = 0;
  std::string source;  // `metrics of the profile`, or the data sheet
};
/// The rates of the kernel with these peaks, and without others: for a point of a roofline.
Measures rates_with_peaks(const MeasuredKernel& kernel, const GpuPeaks& gpu);

/// The highest peaks that pages have, then those of the data sheet (may be null) that pages lack:
/// of tensor cores only the types that kernels use. Clocks differ between kernels, so a kernel's
/// own roof may be lower. `kernels` are as measured.
std::vector<Roof> roofs_of(std::span<const MeasuredKernel> kernels, const GpuPeaks* gpu);

/// `224x1x1`; empty: not known.
std::string shape_text(const trace::LaunchShape& shape);

}  // namespace kr::ncu
