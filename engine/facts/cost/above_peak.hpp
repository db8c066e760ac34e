// Calls whose cost cannot be right: by it, they are faster than the GPU can be.
//
// A rate above the roof (FLOPs above the peak of their precision, or bytes above the bandwidth of
// DRAM) says that a formula counts more than the kernel did, or that the peak is another one. Such
// calls belong to the part of the run without a usable cost.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/warning.hpp"
#include "cost/costed_run.hpp"

namespace kr::cost {

/// How far above the roof a rate may be: clocks may be above those of data sheets, and times are
/// rounded, in old traces to microseconds.
constexpr double above_peak_tolerance = 1.05;

/// Sets `has_roof` and `above_peak` of all calls, by `costed.gpu`. Calls of one cost whose longest
/// operations have one name are judged together, by their mean rate: single times scatter.
void mark_above_peak(CostedRun& costed, const trace::Trace& trace);

/// Calls above the peak, of one op, clause and name of the longest operation.
struct AbovePeak {
  std::string op;
  std::string kernel;
  sema::CostId clause;
  int64_t calls = 0;
  int64_t total_ns = 0;
  double ratio = 0;  // of their roof: 1.586
};
/// By descending time.
std::vector<AbovePeak> above_peak_of(const CostedRun& costed, const trace::Trace& trace);

/// Says which they are and why; none: there are none. `gpu_total_ns`: of all operations.
std::optional<Warning> above_peak_note(const CostedRun& costed, const match::CompiledRules& rules,
                                       const trace::Trace& trace, int64_t gpu_total_ns);

}  // namespace kr::cost
