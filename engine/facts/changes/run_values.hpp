// The numbers that comparisons are made from: one per step, or one per run where a side has
// several. Runs differ by more than their steps do (clocks, placement, warmth), so the steps of one
// run are no sample of runs: the two are never compared with each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "changes/compare.hpp"
#include "changes/profile.hpp"

namespace kr::changes {

/// What the values of a comparison are of: of runs if a side has several.
enum class Per : uint8_t { step, run };
Per per_of(std::span<const Profile> a, std::span<const Profile> b) noexcept;
/// One run after several, which is compared with what these show (changes/new_run.hpp).
bool is_one_new_run(std::span<const Profile> a, std::span<const Profile> b) noexcept;

/// What steps of a phase are measured by.
enum class StepMeasure : uint8_t { wall, idle, busy, work };
/// Nothing of a step without a wall time, except its work.
std::optional<int64_t> measure_of(const StepTime& step, StepMeasure measure) noexcept;

using StepsOf = std::vector<StepTime> Profile::*;

/// One number per step of a phase, or per run that has such steps: the median of these.
std::vector<int64_t> step_values(std::span<const Profile> runs, StepsOf steps,
                                 const std::string& phase, StepMeasure measure, Per per);

/// The work of a unit by label, and of all under no label: one number per step of the unit's phase,
/// or per run that has the unit.
class WorkValues {
 public:
  using Label = std::pair<std::string, std::string>;  // dimension, label

  WorkValues(std::span<const Profile> runs, const Unit& unit, Per per);

  size_t size() const noexcept { return size_; }
  /// What a label has in no step counts as 0.
  std::vector<int64_t> of(const Label& label) const;

 private:
  void add(const Label& label, int64_t ns);
  void add_step(const Profile& run, const StepTime& step);
  void add_run(const Profile& run, const Unit& unit);

  std::map<Label, std::vector<int64_t>> times_;
  size_t size_ = 0;
};

}  // namespace kr::changes
