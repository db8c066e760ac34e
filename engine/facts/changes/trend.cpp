#include "changes/trend.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "changes/new_run.hpp"

namespace kr::changes {
namespace {

std::string one_of(const Unit& unit) {
  switch (unit.kind) {
    case Unit::Kind::steps:
      return unit.phase == "step" ? "step" : "step of " + unit.phase;
    case Unit::Kind::blocks:
      return "repeated block";
    case Unit::Kind::operations:
      return "operation of common names";
    case Unit::Kind::runs:
      return "run";
  }
  return {};
}

/// Why the runs do not show what is noise; empty: they do.
std::string too_few_runs(std::span<const Profile> a, std::span<const Profile> b) {
  // Of sides of one run each, their steps are the values.
  if (per_of(a, b) == Per::step) return {};
  if (is_one_new_run(a, b)) {
    if (a.size() >= min_earlier_runs) return {};
    return fmt::format("one new run is compared with five earlier ones or more, not with {}",
                       a.size());
  }
  if (std::min(a.size(), b.size()) >= min_values) return {};
  return fmt::format("a side has fewer than three runs ({} and {})", a.size(), b.size());
}

/// The points of all runs, one by one.
class TrendMaker {
 public:
  TrendMaker(std::span<const Profile> a, std::span<const Profile> b, const Comparison& comparison)
      : comparison_(comparison), per_(one_of(comparison.unit)) {
    for (const Profile& run : a) add_run(run, false);
    for (const Profile& run : b) add_run(run, true);
    trend_.no_verdict = comparison.not_judged;
    if (trend_.no_verdict.empty()) trend_.no_verdict = too_few_runs(a, b);
  }

  Trend make() {
    add_work(TrendLine::Scope::run, comparison_.total);
    for (const PhaseChange& phase : comparison_.phases) {
      if (phase.wall) add_phase(phase, StepMeasure::wall, phase.wall->median);
      if (phase.idle) add_phase(phase, StepMeasure::idle, phase.idle->median);
      if (phase.busy) add_phase(phase, StepMeasure::busy, phase.busy->median);
      add_phase(phase, StepMeasure::work, phase.work.median);
    }
    for (const LabelChange& label : comparison_.labels) add_work(TrendLine::Scope::label, label);
    return std::move(trend_);
  }

 private:
  void add_run(const Profile& run, bool in_b) {
    runs_.push_back(&run);
    work_.emplace_back(std::span(&run, 1), comparison_.unit, Per::run);
    trend_.runs.push_back({run.run, in_b});
  }

  /// Runs of other lengths are compared by the operations that both have.
  double parts_of_run(size_t run) const {
    const Unit& unit = comparison_.unit;
    if (unit.kind != Unit::Kind::operations) return 1;
    return static_cast<double>(trend_.runs[run].in_b ? unit.b : unit.a);
  }

  TrendPoint work_of(size_t run, const LabelChange& of) const {
    const std::vector<std::string>& dimensions = runs_[run]->dimensions;
    if (!of.dimension.empty() &&
        std::find(dimensions.begin(), dimensions.end(), of.dimension) == dimensions.end()) {
      return {{}, "the run does not have the dimension"};
    }
    if (work_[run].size() == 0) return {{}, fmt::format("the run has no {}", per_)};
    const int64_t ns = work_[run].of({of.dimension, of.label})[0];
    return {static_cast<double>(ns) / parts_of_run(run)};
  }

  void add_work(TrendLine::Scope scope, const LabelChange& of) {
    TrendLine line{scope, of.dimension, of.label, StepMeasure::work, per_, {}, of.median};
    for (size_t i = 0; i < runs_.size(); ++i) line.points.push_back(work_of(i, of));
    trend_.lines.push_back(std::move(line));
  }

  void add_phase(const PhaseChange& phase, StepMeasure measure,
                 const std::optional<MedianChange>& change) {
    const StepsOf steps = phase.of_repeats ? &Profile::repeats : &Profile::steps;
    TrendLine line{TrendLine::Scope::phase,
                   {},
                   phase.phase,
                   measure,
                   phase.of_repeats ? "repeated block" : "step",
                   {},
                   change};
    for (const Profile* const run : runs_) {
      const std::vector<int64_t> values =
          step_values(std::span(run, 1), steps, phase.phase, measure, Per::run);
      if (values.empty()) {
        line.points.push_back(
            {{},
             fmt::format("the run has no such {}{}", line.per,
                         measure == StepMeasure::work ? "" : " with a wall time")});
      } else {
        line.points.push_back({static_cast<double>(values[0])});
      }
    }
    trend_.lines.push_back(std::move(line));
  }

  const Comparison& comparison_;
  const std::string per_;
  std::vector<const Profile*> runs_;
  std::vector<WorkValues> work_;  // by run
  Trend trend_;
};

}  // namespace

size_t Trend::runs_of_a() const noexcept {
  return static_cast<size_t>(
      std::count_if(runs.begin(), runs.end(), [](const TrendRun& run) { return !run.in_b; }));
}

std::string_view Trend::few_values() const noexcept {
  const size_t earlier = runs_of_a();
  return earlier > 1 && runs.size() - earlier == 1 ? "fewer than five earlier runs have a value"
                                                   : "a side has fewer than three values";
}

std::string_view Trend::verdict_of(const TrendLine& line) const noexcept {
  if (!line.change || !no_verdict.empty()) return {};
  const bool of_wall = line.measure == StepMeasure::wall;
  switch (changes::verdict_of(*line.change)) {
    case Verdict::within_noise:
      return "within noise";
    case Verdict::more:
      return of_wall ? "slower" : "more";
    case Verdict::less:
      return of_wall ? "faster" : "less";
  }
  return {};
}

Trend trend_of(std::span<const Profile> a, std::span<const Profile> b,
               const Comparison& comparison) {
  return TrendMaker(a, b, comparison).make();
}

std::string_view to_string(StepMeasure measure) noexcept {
  switch (measure) {
    case StepMeasure::wall:
      return "wall";
    case StepMeasure::idle:
      return "idle";
    case StepMeasure::busy:
      return "busy";
    case StepMeasure::work:
      return "work";
  }
  return {};
}

std::string_view to_string(TrendLine::Scope scope) noexcept {
  switch (scope) {
    case TrendLine::Scope::run:
      return "run";
    case TrendLine::Scope::phase:
      return "phase";
    case TrendLine::Scope::label:
      return "label";
  }
  return {};
}

}  // namespace kr::changes
