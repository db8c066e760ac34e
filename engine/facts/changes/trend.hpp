// The runs of a comparison one by one: the numbers whose medians it compares, in the order of the
// runs. Nothing here is another statistic: verdicts are those of the comparison.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "changes/compare.hpp"
#include "changes/profile.hpp"
#include "changes/run_values.hpp"

namespace kr::changes {

struct TrendPoint {
  std::optional<double> ns;
  std::string why_none = {};  // there is no number
};

/// One quantity over all runs.
struct TrendLine {
  enum class Scope : uint8_t { run, phase, label };

  Scope scope = Scope::run;
  std::string dimension = {};  // of a label
  std::string key = {};        // the phase or label
  StepMeasure measure = StepMeasure::work;
  std::string per;                     // what it is of: `step of decode`, `repeated block`, `run`
  std::vector<TrendPoint> points;      // by run
  std::optional<MedianChange> change;  // of the second side, as the comparison has it
};

struct TrendRun {
  std::string name;
  bool in_b = false;
};

struct Trend {
  std::vector<TrendRun> runs;  // those of the first side, then those of the second
  std::vector<TrendLine> lines;
  /// Why no line has a change that is judged; empty: some may.
  std::string no_verdict;

  size_t runs_of_a() const noexcept;
  /// Of the second side: `within noise`, `more`, `less`, of wall times `slower`, `faster`. Empty:
  /// the line is not judged.
  /// Why a line has no verdict if there are runs enough.
  std::string_view few_values() const noexcept;
  std::string_view verdict_of(const TrendLine& line) const noexcept;
};

/// Of all work, of the phases that both sides have, and of labels, in the order of `comparison`,
/// which is that of these runs.
Trend trend_of(std::span<const Profile> a, std::span<const Profile> b,
               const Comparison& comparison);

std::string_view to_string(StepMeasure measure) noexcept;
std::string_view to_string(TrendLine::Scope scope) noexcept;

}  // namespace kr::changes
