// Measurements of ncu joined to a run: which of its kernels were measured, and how much of its time
// that is. A run that is pages of ncu is joined to itself.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/run.hpp"
#include "analyze/summary.hpp"
#include "ncu/divide.hpp"
#include "ncu/groups.hpp"
#include "ncu/names.hpp"
#include "trace/trace.hpp"

namespace kr::ncu {

/// A row of RunSummary::names, and what was measured of it.
struct RunKernel {
  size_t name = 0;  // in RunSummary::names
  /// Nothing: it was not measured, or `ambiguous`.
  std::optional<NameMatch> match;
  /// The measured name is only a function, and the run has several kernels of it.
  bool ambiguous = false;
  DividedTime time;  // of nothing where it was not measured
};

struct Joined {
  std::shared_ptr<const trace::Trace> pages;     // what `kernels` refer to
  std::vector<MeasuredKernel> kernels;           // by name, grid and block
  std::vector<std::vector<std::string>> labels;  // by kernel, then dimension of the run
  std::vector<RunKernel> run;                    // those rows that are kernels
  std::vector<uint32_t> not_in_run;              // kernels, also those of other grids and blocks
  bool is_itself = false;                        // the run is pages of ncu
  std::vector<Roof> roofs;
  std::string gpu;                                 // whose peaks were filled in; empty: none
  std::shared_ptr<const GpuPeaks> measured_peaks;  // of the GPU of the run; null: none
  std::vector<Warning> warnings;
};

struct JoinOptions {
  bool is_itself = false;
  const GpuPeaks* gpu = nullptr;
  /// What the run is the sums of; null, or a trace without details: kernels are found by name.
  const analyze::LabelledTrace* labelled = nullptr;
};

/// Labels the measured kernels by the rules of the run's model, and finds those of the run. `run`
/// has to have `model` of `rules`.
Joined join(const match::CompiledRules& rules, const analyze::RunSummary& run,
            std::shared_ptr<const trace::Trace> pages, const JoinOptions& options);

/// Time of kernels of a run, and what it would be at the nearest roof of each.
struct RoofTime {
  int64_t total_ns = 0;
  int64_t measured_ns = 0;   // of it, of kernels that ncu measured
  int64_t with_roof_ns = 0;  // of it, of kernels of which a roof is known
  int64_t at_roof_ns = 0;    // with_roof_ns at the roofs
  Mean mean;                 // of measured_ns

  int64_t saved_ns() const noexcept { return with_roof_ns - at_roof_ns; }
  void add(const MeasuredKernel& kernel, int64_t time_ns);
};

}  // namespace kr::ncu
