#include "analyze/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "analyze/label_sums.hpp"
#include "analyze/run.hpp"
#include "base/check.hpp"
#include "classify/step_order.hpp"

namespace kr::analyze {
namespace {

/// A sum that is known only if all of its parts are known.
class WholeSum {
 public:
  void add(const std::optional<int64_t>& part) {
    known_ = known_ && part && !__builtin_add_overflow(sum_, *part, &sum_);
    any_ = true;
  }
  std::optional<int64_t> value() const {
    return known_ && any_ ? std::optional(sum_) : std::nullopt;
  }

 private:
  int64_t sum_ = 0;
  bool known_ = true;
  bool any_ = false;
};

struct PhaseSums {
  PhasePart part;
  WholeSum batch;
  WholeSum tokens;
  UnionSweep busy;
  LabelSums labels;
};

/// The operations of a step by device: mostly one.
class DeviceSweeps {
 public:
  DeviceSweep& of(int32_t device) {
    for (auto& [known, sweep] : sweeps_) {
      if (known == device) return sweep;
    }
    return sweeps_.emplace_back(device, DeviceSweep()).second;
  }

  std::vector<StepDevice> finish() {
    std::vector<StepDevice> out;
    out.reserve(sweeps_.size());
    std::sort(sweeps_.begin(), sweeps_.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [device, sweep] : sweeps_) {
      sweep.finish();
      out.push_back({sweep.breakdown(), device, sweep.first_start_ns()});
    }
    return out;
  }

 private:
  std::vector<std::pair<int32_t, DeviceSweep>> sweeps_;
};

class Summer {
 public:
  Summer(const trace::Trace& trace, const classify::Labelled& labelled,
         const classify::Attribution& attribution, std::vector<Kind> kinds)
      : trace_(trace),
        labelled_(labelled),
        attribution_(attribution),
        kinds_(std::move(kinds)),
        step_labels_(attribution.steps.size(), LabelSums(labelled)),
        step_times_(attribution.steps.size()),
        step_devices_(attribution.steps.size()),
        order_(trace, attribution),
        starts_(order_, attribution),
        phase_of_(attribution.steps.size()),
        found_(labelled.rows(), labelled.dimensions.size()) {
    find_phases();
  }

  StepSums sum(const sema::Program& program) {
    for (size_t i = 0; i < trace_.operations.size(); ++i) add(i);
    include_inner_steps();
    StepSums out;
    out.too_deep = too_deep_;
    out.steps.reserve(attribution_.steps.size());
    for (size_t i = 0; i < attribution_.steps.size(); ++i) out.steps.push_back(step(program, i));
    for (PhaseSums& phase : phases_) {
      if (phase.part.phase == outside_steps_name && phase.labels.instances() == 0) continue;
      phase.part.batch = phase.batch.value();
      phase.part.tokens = phase.tokens.value();
      phase.part.instances = phase.labels.instances();
      phase.part.total_ns = phase.labels.total_ns();
      phase.part.busy_ns = phase.busy.covered_ns();
      phase.part.labels = phase.labels.parts(program, labelled_);
      out.phases.push_back(std::move(phase.part));
    }
    add_wall_times(out);
    return out;
  }

 private:
  size_t phase_named(std::string_view label) {
    const auto known = std::find_if(phases_.begin(), phases_.end(), [&](const PhaseSums& phase) {
      return phase.part.phase == label;
    });
    const size_t at = static_cast<size_t>(known - phases_.begin());
    if (known == phases_.end()) {
      phases_.push_back({{}, {}, {}, {}, LabelSums(labelled_)});
      phases_.back().part.phase = label;
    }
    return at;
  }

  void find_phases() {
    const std::vector<classify::TraceStep>& steps = attribution_.steps;
    for (size_t i = 0; i < steps.size(); ++i) phase_of_[i] = phase_named(steps[i].phase.label);
    outside_ = phase_named(outside_steps_name);
    find_enclosing_phases();
    struct Inside {
      WholeSum batch;
      WholeSum tokens;
    };
    std::vector<Inside> inside(steps.size());  // by step: steps of the same phase inside it
    for (size_t i = steps.size(); i-- > 0;) {
      const classify::TraceStep& step = steps[i];
      const std::optional<int64_t> batch =
          step.phase.batch ? step.phase.batch : inside[i].batch.value();
      const std::optional<int64_t> tokens =
          step.phase.tokens ? step.phase.tokens : inside[i].tokens.value();
      // An enclosing step began earlier.
      if (step.outer != classify::Attribution::none && phase_of_[step.outer] == phase_of_[i]) {
        inside[step.outer].batch.add(batch);
        inside[step.outer].tokens.add(tokens);
        continue;
      }
      PhaseSums& sums = phases_[phase_of_[i]];
      ++sums.part.steps;
      sums.batch.add(batch);
      sums.tokens.add(tokens);
    }
  }

  void add(size_t i) {
    const trace::Operation& operation = trace_.operations[i];
    const uint32_t row = labelled_.row(i, operation);
    const uint32_t innermost = attribution_.step_of[i];
    if (innermost == classify::Attribution::none) {
      phases_[outside_].labels.add(labelled_, row, operation, found_);
      phases_[outside_].busy.add(operation.start_ns, operation.end_ns());
      return;
    }
    step_labels_[innermost].add(labelled_, row, operation, found_);
    starts_.add(i, operation.start_ns);
    const int32_t device = trace_.track(operation.track).device;
    size_t depth = 0;
    for (uint32_t step = innermost; step != classify::Attribution::none;
         step = attribution_.steps[step].outer) {
      if (++depth > max_enclosing_steps) {
        ++too_deep_;
        break;
      }
      step_times_[step].add(kinds_[row], operation.start_ns, operation.end_ns());
      step_devices_[step].of(device).add(kinds_[row], operation.start_ns, operation.end_ns());
    }
    for (size_t phase = 0; phase < phases_.size(); ++phase) {
      if (encloses(innermost, phase)) {
        phases_[phase].busy.add(operation.start_ns, operation.end_ns());
      }
    }
  }

  /// Adds the sums of inner steps to each step, and the outermost steps to each phase.
  void include_inner_steps() {
    const std::vector<classify::TraceStep>& steps = attribution_.steps;
    for (size_t i = steps.size(); i-- > 0;) {  // an outer step began earlier
      const uint32_t outer = steps[i].outer;
      if (outer == classify::Attribution::none || !encloses(outer, phase_of_[i])) {
        phases_[phase_of_[i]].labels.add(step_labels_[i]);
      }
      if (outer != classify::Attribution::none) step_labels_[outer].add(step_labels_[i]);
    }
  }

  /// Whether the step, or an enclosing one, is of the phase.
  bool encloses(size_t step, size_t phase) const {
    return of_phase_[step * phases_.size() + phase];
  }

  void find_enclosing_phases() {
    const std::vector<classify::TraceStep>& steps = attribution_.steps;
    const size_t phases = phases_.size();
    of_phase_.resize(steps.size() * phases);
    for (size_t i = 0; i < steps.size(); ++i) {
      for (size_t phase = 0; phase < phases; ++phase) {
        const uint32_t outer = steps[i].outer;
        of_phase_[i * phases + phase] =
            phase == phase_of_[i] ||
            (outer != classify::Attribution::none && encloses(outer, phase));
      }
    }
  }

  StepPart step(const sema::Program& program, size_t i) {
    const classify::TraceStep& step = attribution_.steps[i];
    StepPart part;
    part.phase = step.phase.label;
    part.step = step.phase.step;
    part.layer = step.phase.layer;
    part.batch = step.phase.batch;
    part.tokens = step.phase.tokens;
    if (step.outer != classify::Attribution::none) part.outer = step.outer;
    part.text = step.text;
    part.instances = step_labels_[i].instances();
    part.total_ns = step_labels_[i].total_ns();
    part.wall_ns = starts_.wall_ns(i);
    step_times_[i].finish();
    part.time = step_times_[i].breakdown();
    part.devices = step_devices_[i].finish();
    part.labels = step_labels_[i].parts(program, labelled_);
    return part;
  }

  const trace::Trace& trace_;
  const classify::Labelled& labelled_;
  const classify::Attribution& attribution_;
  std::vector<Kind> kinds_;  // by row of labels
  std::vector<LabelSums> step_labels_;
  std::vector<DeviceSweep> step_times_;
  std::vector<DeviceSweeps> step_devices_;
  classify::StepOrder order_;
  classify::StepStarts starts_;
  std::vector<size_t> phase_of_;  // by step
  std::vector<PhaseSums> phases_;
  size_t outside_ = 0;
  std::vector<bool> of_phase_;  // by step and phase
  FoundSums found_;
  int64_t too_deep_ = 0;
};

}  // namespace

StepSums sum_steps(const sema::Program& program, const trace::Trace& trace,
                   const classify::Labelled& labelled, const classify::Attribution& attribution) {
  if (attribution.steps.empty()) return {};
  return Summer(trace, labelled, attribution, kinds_by_row(program, labelled)).sum(program);
}

std::vector<Kind> kinds_by_row(const sema::Program& program, const classify::Labelled& labelled) {
  const classify::DimensionLabels* labels = labelled.find(program.kind());
  KR_CHECK(labels != nullptr);
  std::vector<Kind> kinds;
  kinds.reserve(labels->by_row.size());
  for (const classify::LabelResult& result : labels->by_row) {
    kinds.push_back(kind_from(result.label));
  }
  return kinds;
}

void add_wall_times(StepSums& sums) {
  std::map<std::string_view, std::vector<int64_t>> walls;
  for (const StepPart& step : sums.steps) {
    if (step.wall_ns) walls[step.phase].push_back(*step.wall_ns);
  }
  for (PhasePart& phase : sums.phases) {
    const auto found = walls.find(phase.phase);
    if (found != walls.end()) phase.wall = wall_times_of(std::move(found->second));
  }
}

std::optional<WallTimes> wall_times_of(std::vector<int64_t> times) {
  if (times.empty()) return std::nullopt;
  std::sort(times.begin(), times.end());
  const size_t middle = times.size() / 2;
  const auto upper = static_cast<double>(times[middle]);
  const double median =
      times.size() % 2 == 1 ? upper : (static_cast<double>(times[middle - 1]) + upper) / 2;
  return WallTimes{static_cast<int64_t>(times.size()), median,
                   times[(times.size() * 95 + 99) / 100 - 1], times.back()};
}

std::vector<int64_t> occurrences_of(const std::vector<StepPart>& steps) {
  std::map<std::pair<std::string_view, std::optional<int64_t>>, int64_t> before;
  std::vector<int64_t> out;
  out.reserve(steps.size());
  for (const StepPart& step : steps) out.push_back(before[{step.phase, step.step}]++);
  return out;
}

std::optional<Warning> outside_steps(const StepSums& sums, int64_t total_ns) {
  if (sums.steps.empty()) return std::nullopt;
  for (const PhasePart& phase : sums.phases) {
    if (phase.phase != outside_steps_name || phase.total_ns <= total_ns / 20) continue;
    return Warning{
        "outside-steps",
        fmt::format(
            "{:.1f} % of the GPU time is outside all steps: phases and steps do not show it.",
            100 * static_cast<double>(phase.total_ns) / static_cast<double>(total_ns))};
  }
  return std::nullopt;
}

facts::Computed<StepSums> StepSums::compute(const facts::Input& run) {
  return sum_steps(run.rules.program(), run.trace.trace, run.trace.labelled,
                   run.trace.attribution(run.rules));
}

std::optional<Warning> StepSums::note(const facts::Input& run) const {
  return outside_steps(*this, run.summary.gpu_total_ns);
}

}  // namespace kr::analyze
