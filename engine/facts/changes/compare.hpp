// The differences of runs, by label and by name, per the best unit that both sides have.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "changes/gate.hpp"
#include "changes/median_change.hpp"
#include "changes/parts.hpp"
#include "changes/phases.hpp"
#include "changes/profile.hpp"
#include "changes/substitutions.hpp"

namespace kr::changes {

/// What the work of two runs is divided by, so that runs of different length can be compared: the
/// steps of the phase that has most of the time of both, if the steps of each side have half of its
/// time or more; else the repeated blocks, if their ratio is that of the operations of names that
/// both have; else these operations; else the runs.
struct Unit {
  enum class Kind { steps, blocks, operations, runs };

  Kind kind = Kind::runs;
  std::string phase;  // of steps
  int64_t a = 1;      // how many the first side has; never 0
  int64_t b = 1;

  /// `steps of decode`.
  std::string text() const;
  /// As conditions name it: `step`, `block`, `operation`, `run`.
  std::string_view word() const noexcept;
  /// The change of the whole time for equal numbers of units, in percent of the first; nothing
  /// where the first has no time.
  std::optional<double> change_percent(int64_t a_ns, int64_t b_ns) const;
};

/// The time of a unit on both sides.
struct PerUnit {
  double a_ns = 0;
  double b_ns = 0;

  std::optional<double> percent() const noexcept;
};

struct LabelChange {
  std::string dimension;
  std::string label;
  Pair time;
  Parts parts;
  /// The mean: of the steps of the unit's phase alone, if these are the unit.
  PerUnit per_unit;
  /// Of a unit: from step to step, or from run to run where a side has several.
  std::optional<MedianChange> median;

  /// What conditions are compared with: the change of the median, else of the mean per unit.
  Measured measured() const;
};

struct NameChange {
  std::string name;
  OperationKind kind = OperationKind::kernel;
  Pair time;
  Parts parts;
  /// Nothing if the unit's steps do not have all operations of the run: names of steps are not
  /// known.
  std::optional<PerUnit> per_unit;
};

struct Comparison {
  /// Labels that both sides have contain at least half of the time of each.
  bool comparable = true;
  std::string why;
  /// Why there is no verdict: a side lacks kernels. Empty: there may be one.
  std::string not_judged;
  Unit unit;
  std::vector<PhaseChange> phases;  // by falling work of both
  /// Of one new run: how many earlier ones say what is noise. 0: of medians, or not known.
  size_t earlier_runs = 0;
  LabelChange total;                // of all operations; without a dimension and label
  std::vector<LabelChange> labels;  // by dimension, the largest change first
  std::vector<NameChange> names;    // the largest change first
  /// Of names that only one side has, if the sides are comparable. They change no other number: the
  /// difference of names that replace each other remains in `Parts::names_ns`.
  std::vector<Substitution> substitutions;
  int64_t a_elapsed_ns = 0;  // summed over the runs of a side
  int64_t b_elapsed_ns = 0;
  int64_t a_span_ns = 0;  // the same
  int64_t b_span_ns = 0;

  bool same() const noexcept;
  /// Of the unit, or of repeats; null: there is none with wall times.
  const PhaseChange* main_phase() const noexcept;
  /// The change of the span for equal numbers of units, in percent.
  std::optional<double> span_percent() const { return unit.change_percent(a_span_ns, b_span_ns); }
};

/// At least one run a side. `by` is the dimension that decides what is comparable.
Comparison compare(std::span<const Profile> a, std::span<const Profile> b, std::string_view by);

}  // namespace kr::changes
