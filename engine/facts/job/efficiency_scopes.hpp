// What the efficiencies of a job are of: all of it, its phases, its steps, its labels. A step is
// that of all ranks: the k-th of a phase and number on one is the k-th on every other.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analyze/steps.hpp"
#include "analyze/summary.hpp"
#include "job/efficiency.hpp"

namespace kr::job {

/// A run as one rank of a job.
struct RunOfJob {
  const analyze::RunSummary* summary = nullptr;
  const analyze::StepSums* steps = nullptr;  // null: not known
};

struct PhaseEfficiency {
  std::string phase;
  int64_t steps = 0;  // occurrences: steps of the phase that are in no other of it
  Efficiency efficiency;
};

struct StepEfficiency {
  std::string phase;
  std::optional<int64_t> step;
  int64_t occurrence = 0;  // from 0, among steps of the phase and number
  int64_t ranks = 0;       // that launched operations in it
  Efficiency efficiency;
};

struct LabelEfficiency {
  std::string dimension;
  std::string label;
  LabelUse useful;         // kernels with communication
  LabelUse communication;  // compute kernels

  const LabelUse& operator[](Nccl reading) const noexcept {
    return reading == Nccl::useful ? useful : communication;
  }
};

class JobEfficiency {
 public:
  /// `shifts`: the clocks of the runs; empty: those that they tell, `Clock::utc_ns`. The runs
  /// outlive this.
  explicit JobEfficiency(std::vector<RunOfJob> runs, Shifts shifts = {});

  const Efficiency& whole() const noexcept { return whole_; }
  /// In order of first occurrence.
  std::vector<PhaseEfficiency> phases() const;
  /// With operations. In the order of the first run that has them.
  std::vector<StepEfficiency> steps() const;
  /// By dimension, in the order of the first run that has it; then by descending useful time and
  /// label. Those without useful time are none.
  std::vector<LabelEfficiency> labels() const;

 private:
  std::vector<RunOfJob> runs_;
  Shifts shifts_;
  Efficiency whole_;
};

}  // namespace kr::job
