// The times of operations by name, kind and device. Means and deviations are floating point,
// computed from exact sums.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "facts/fact.hpp"

namespace kr::analyze {

struct KernelStatistics {
  std::string name;
  std::string kind;  // compute, communication, memory
  int32_t device = 0;
  int64_t instances = 0;
  int64_t total_ns = 0;
  int64_t min_ns = 0;
  int64_t max_ns = 0;
  double mean_ns = 0;
  double stddev_ns = 0;  // of the sample (n - 1); 0 for one
  double share = 0;      // of the run's total, 0 to 1
};

struct Kernels {
  static facts::Computed<Kernels> compute(const facts::Input& run);
  void saved(facts::Fields& io, const RunSummary& run);

  std::vector<KernelStatistics> all;  // by descending total, name, device
};

}  // namespace kr::analyze
