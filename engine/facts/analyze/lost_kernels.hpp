// Launches of kernels whose kernels are not in the trace, by function.
//
// A call that launches a kernel or a graph has lost its kernels if no operation is linked to it. A
// call inside another such call on its thread (of the driver inside one of the runtime) is part of
// it: any of them may have the kernels. What is launched while the thread captures a graph
// (`cudaStreamBeginCapture`) does not run.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "trace/trace.hpp"

namespace kr::analyze {

struct LostKernels {
  std::string api;       // `cudaLaunchKernel`
  int64_t launches = 0;  // calls that launch kernels
  int64_t lost = 0;      // of these, those without an operation
  /// Of the lost ones, those before the last launch, of any function, that has operations:
  /// recording had not ended.
  int64_t lost_inside = 0;
  /// The outermost annotations around the lost ones, by how many; no name: there is none.
  std::vector<std::pair<std::string, int64_t>> annotations;
};

/// Those functions with any that are lost, by falling number. The trace must have a host trace.
std::vector<LostKernels> find_lost_kernels(const trace::Trace& trace);

/// `12 of 50 launches by cudaLaunchKernel have no kernel (by annotation: iter_3: 4, iter_7: 2, …)`
std::string describe(const LostKernels& lost);

}  // namespace kr::analyze
