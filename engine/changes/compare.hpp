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
#include "changes/profile.hpp"
#include "changes/substitutions.hpp"

namespace kr::changes {

/// What times are divided by, so that runs of different length can be compared: the steps of the
/// phase that has most of the time of both, and half of it or more; else the layers found, if their
/// ratio is that of the operations of names that both have; else these operations; else the runs.
struct Unit {
  enum class Kind { steps, layers, operations, runs };

  Kind kind = Kind::runs;
  std::string phase;  // of steps
  int64_t a = 1;      // how many the first side has; never 0
  int64_t b = 1;

  /// `steps of decode`.
  std::string text() const;
  /// The change per unit, in percent of the first; nothing where the first has no time.
  std::optional<double> change_percent(const Pair& pair) const;
};

struct LabelChange {
  std::string dimension;
  std::string label;
  Pair time;
  Parts parts;
  /// Of a unit: from step to step, or from run to run where a side has several.
  std::optional<MedianChange> median;

  /// What conditions are compared with: the change of the median, else of the mean per unit.
  Measured measured(const Unit& unit) const;
};

struct NameChange {
  std::string name;
  OperationKind kind = OperationKind::kernel;
  Pair time;
  Parts parts;
};

struct Comparison {
  /// Labels that both sides have contain at least half of the time of each.
  bool comparable = true;
  std::string why;
  Unit unit;
  LabelChange total;                // of all operations; without a dimension and label
  std::vector<LabelChange> labels;  // by dimension, the largest change first
  std::vector<NameChange> names;    // the largest change first
  /// Of names that only one side has, if the sides are comparable. They change no other number: the
  /// difference of names that replace each other remains in `Parts::mix_ns`.
  std::vector<Substitution> substitutions;
  int64_t a_elapsed_ns = 0;  // summed over the runs of a side
  int64_t b_elapsed_ns = 0;

  bool same() const noexcept;
};

/// At least one run a side. `by` is the dimension that decides what is comparable.
Comparison compare(std::span<const Profile> a, std::span<const Profile> b, std::string_view by);

}  // namespace kr::changes
