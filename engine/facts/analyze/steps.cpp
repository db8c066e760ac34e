#include "analyze/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analyze/label_sums.hpp"
#include "analyze/run.hpp"
#include "base/check.hpp"
#include "base/saturated.hpp"
#include "classify/step_order.hpp"
#include "scopes/scope.hpp"
#include "text/numbers.hpp"

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

using Labelled = StepParts::Labelled;

/// Adds to the sums of a combination of labels; they are sorted by it.
void add_labelled(std::vector<Labelled>& sums, const Labelled& more) {
  const auto at =
      std::lower_bound(sums.begin(), sums.end(), more.labels,
                       [](const Labelled& one, uint32_t labels) { return one.labels < labels; });
  if (at == sums.end() || at->labels != more.labels) {
    sums.insert(at, more);
    return;
  }
  at->instances += more.instances;
  at->total_ns += more.total_ns;
}

struct PhaseSums {
  PhasePart part;
  WholeSum batch;
  WholeSum tokens;
  UnionSweep busy;
  std::vector<LabelTotal> labelled;  // by combination of labels
};

/// The sums of a step while operations of it may come.
class OpenStep {
 public:
  void add(int32_t device, Kind kind, int64_t start, int64_t end) {
    sweep(device).add(kind, start, end);
    if (sweeps_.size() > 1) all_.add(kind, start, end);
  }
  void add(const Labelled& more) {
    instances_ += more.instances;
    total_ns_ += more.total_ns;
    add_labelled(labelled_, more);
  }
  void add(const OpenStep& inner) {
    for (const Labelled& one : inner.labelled_) add(one);
  }
  const std::vector<Labelled>& labelled() const noexcept { return labelled_; }

  void finish(size_t step, StepParts& to) {
    std::sort(sweeps_.begin(), sweeps_.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<StepDevice> devices;
    devices.reserve(sweeps_.size());
    for (auto& [device, sweep] : sweeps_) {
      sweep.finish();
      devices.push_back({sweep.breakdown(), device, sweep.first_start_ns()});
    }
    all_.finish();
    StepPart sums;
    sums.instances = instances_;
    sums.total_ns = total_ns_;
    sums.time = devices.size() == 1 ? devices[0] : all_.breakdown();
    to.set_sums(step, sums, devices);
    to.set_labels(step, labelled_);
  }
  /// For another step.
  void clear() noexcept {
    sweeps_.clear();
    labelled_.clear();
    all_ = {};
    instances_ = 0;
    total_ns_ = 0;
  }

 private:
  /// Of one device, its sweep is that of all.
  DeviceSweep& sweep(int32_t device) {
    for (auto& [known, sweep] : sweeps_) {
      if (known == device) return sweep;
    }
    if (sweeps_.size() == 1) all_ = sweeps_[0].second;
    return sweeps_.emplace_back(device, DeviceSweep()).second;
  }

  std::vector<std::pair<int32_t, DeviceSweep>> sweeps_;  // mostly of one device
  DeviceSweep all_;                                      // of two or more devices
  std::vector<Labelled> labelled_;
  int64_t instances_ = 0;
  int64_t total_ns_ = 0;
};

/// Operations are in order of start, so that few steps are open at a time: a step is finished after
/// its last operation, and its sums become those of another one.
class Summer {
 public:
  Summer(const sema::Program& program, const trace::Trace& trace,
         const classify::Labelled& labelled, const classify::Attribution& attribution)
      : program_(program),
        trace_(trace),
        labelled_(labelled),
        attribution_(attribution),
        kinds_(kinds_by_row(program, labelled)),
        order_(trace, attribution),
        starts_(order_, attribution) {
    find_combinations();
    find_phases();
    count_operations();
  }

  StepSums sum() {
    for (size_t i = 0; i < trace_.operations.size(); ++i) add(i);
    KR_CHECK(free_.size() == open_.size());
    for (size_t i = 0; i < out_.steps.size(); ++i) out_.steps.set_wall(i, starts_.wall_ns(i));
    for (PhaseSums& phase : phases_) {
      LabelSums labels(labelled_);
      for (uint32_t i = 0; i < phase.labelled.size(); ++i) {
        const auto& [instances, total_ns] = phase.labelled[i];
        if (instances > 0) labels.add(labelled_, row_of_combination_[i], instances, total_ns);
      }
      if (phase.part.phase == scopes::outside_steps_name && labels.instances() == 0) continue;
      phase.part.batch = phase.batch.value();
      phase.part.tokens = phase.tokens.value();
      phase.part.instances = labels.instances();
      phase.part.total_ns = labels.total_ns();
      phase.part.busy_ns = phase.busy.covered_ns();
      phase.part.labels = labels.parts(program_, labelled_);
      out_.phases.push_back(std::move(phase.part));
    }
    add_wall_times(out_);
    return std::move(out_);
  }

 private:
  static constexpr uint32_t none = classify::Attribution::none;

  void find_combinations() {
    const size_t dimensions = labelled_.dimensions.size();
    for (const classify::DimensionLabels& one : labelled_.dimensions) {
      out_.steps.add_dimension(program_.dimensions.get(one.dimension).name);
    }
    std::vector<uint32_t> labels(dimensions);
    combination_of_row_.reserve(labelled_.rows());
    for (uint32_t row = 0; row < labelled_.rows(); ++row) {
      for (size_t d = 0; d < dimensions; ++d) {
        labels[d] = out_.steps.label(labelled_.dimensions[d].by_row[row].label);
      }
      combination_of_row_.push_back(out_.steps.combination(labels));
      if (combination_of_row_.back() == row_of_combination_.size()) {
        row_of_combination_.push_back(row);
      }
    }
  }

  size_t phase_named(std::string_view label) {
    const auto known = std::find_if(phases_.begin(), phases_.end(), [&](const PhaseSums& phase) {
      return phase.part.phase == label;
    });
    const size_t at = static_cast<size_t>(known - phases_.begin());
    if (known == phases_.end()) {
      phases_.emplace_back().part.phase = label;
      phases_.back().labelled.resize(row_of_combination_.size());
    }
    return at;
  }

  /// Steps without their sums. Phases have the numbers that StepParts gives them.
  void find_phases() {
    const classify::TraceSteps& steps = attribution_.steps;
    std::vector<uint32_t> text_numbers(steps.texts(), none);
    // Of labels at most; what is not used takes no memory.
    out_.steps.reserve(steps.size(), trace_.operations.size());
    for (size_t i = 0; i < steps.size(); ++i) {
      const classify::TraceStep step = steps[i];
      uint32_t& text = text_numbers[steps.text_number(i)];
      if (text == none) text = out_.steps.text(step.text);
      StepPart part;
      part.step = step.phase.step;
      part.layer = step.phase.layer;
      part.batch = step.phase.batch;
      part.tokens = step.phase.tokens;
      if (step.outer != none) part.outer = step.outer;
      const uint32_t phase = out_.steps.phase(step.phase.label);
      if (phase == phases_.size()) phase_named(step.phase.label);
      out_.steps.add(phase, text, part);
    }
    outside_ = phase_named(scopes::outside_steps_name);
    find_enclosing_phases();
    struct Inside {
      WholeSum batch;
      WholeSum tokens;
    };
    std::unordered_map<size_t, Inside> inside;  // by step: steps of the same phase inside it
    for (size_t i = steps.size(); i-- > 0;) {
      const classify::TraceStep step = steps[i];
      std::optional<int64_t> batch = step.phase.batch;
      std::optional<int64_t> tokens = step.phase.tokens;
      if (const auto own = inside.find(i); own != inside.end()) {
        if (!batch) batch = own->second.batch.value();
        if (!tokens) tokens = own->second.tokens.value();
        inside.erase(own);
      }
      // An enclosing step began earlier.
      if (step.outer != none && phase_of(step.outer) == phase_of(i)) {
        Inside& outer = inside[step.outer];
        outer.batch.add(batch);
        outer.tokens.add(tokens);
        continue;
      }
      PhaseSums& sums = phases_[phase_of(i)];
      ++sums.part.steps;
      sums.batch.add(batch);
      sums.tokens.add(tokens);
    }
  }

  void count_operations() {
    const classify::TraceSteps& steps = attribution_.steps;
    left_.resize(steps.size());
    slot_.resize(steps.size(), none);
    for (size_t i = 0; i < trace_.operations.size(); ++i) {
      if (attribution_.step_of[i] != none) ++left_[attribution_.step_of[i]];
    }
    for (size_t i = steps.size(); i-- > 0;) {
      if (left_[i] > 0 && steps[i].outer != none) ++left_[steps[i].outer];
    }
  }

  size_t phase_of(size_t step) const noexcept { return out_.steps.phase_number(step); }

  OpenStep& open(uint32_t step) {
    uint32_t& slot = slot_[step];
    if (slot == none && free_.empty()) {
      slot = static_cast<uint32_t>(open_.size());
      open_.emplace_back();
    } else if (slot == none) {
      slot = free_.back();
      free_.pop_back();
    }
    return open_[slot];
  }

  void add(size_t i) {
    const trace::Operation& operation = trace_.operations[i];
    const uint32_t row = labelled_.row(i, operation);
    const Labelled labelled{combination_of_row_[row], 1, operation.duration_ns};
    const uint32_t innermost = attribution_.step_of[i];
    if (innermost == none) {
      add_to_phase(phases_[outside_], labelled);
      phases_[outside_].busy.add(operation.start_ns, operation.end_ns());
      return;
    }
    open(innermost).add(labelled);
    starts_.add(i, operation.start_ns);
    const int32_t device = trace_.track(operation.track).device;
    for (const uint32_t step : order_.enclosing().of(innermost)) {
      open(step).add(device, kinds_[row], operation.start_ns, operation.end_ns());
    }
    if (order_.enclosing().is_cut(innermost)) ++out_.too_deep;
    for (size_t phase = 0; phase < phases_.size(); ++phase) {
      if (encloses(innermost, phase)) {
        phases_[phase].busy.add(operation.start_ns, operation.end_ns());
      }
    }
    for (uint32_t step = innermost; step != none && --left_[step] == 0;) step = finish(step);
  }

  /// Adds the step to the one around it, which is returned, and an outermost one to its phase.
  uint32_t finish(uint32_t step) {
    const uint32_t outer = order_.enclosing().outer(step);
    if (outer != none) open(outer);  // may move what is open
    OpenStep& sums = open(step);
    sums.finish(step, out_.steps);
    if (outer == none || !encloses(outer, phase_of(step))) {
      for (const Labelled& one : sums.labelled()) add_to_phase(phases_[phase_of(step)], one);
    }
    if (outer != none) open(outer).add(sums);
    sums.clear();
    free_.push_back(slot_[step]);
    return outer;
  }

  static void add_to_phase(PhaseSums& phase, const Labelled& more) {
    auto& [instances, total_ns] = phase.labelled[more.labels];
    instances += more.instances;
    total_ns += more.total_ns;
  }

  /// Whether the step, or an enclosing one, is of the phase.
  bool encloses(size_t step, size_t phase) const {
    return of_phase_[step * phases_.size() + phase];
  }

  void find_enclosing_phases() {
    const classify::TraceSteps& steps = attribution_.steps;
    const size_t phases = phases_.size();
    of_phase_.resize(steps.size() * phases);
    for (size_t i = 0; i < steps.size(); ++i) {
      const uint32_t outer = steps[i].outer;
      for (size_t phase = 0; phase < phases; ++phase) {
        of_phase_[i * phases + phase] =
            phase == phase_of(i) || (outer != none && encloses(outer, phase));
      }
    }
  }

  const sema::Program& program_;
  const trace::Trace& trace_;
  const classify::Labelled& labelled_;
  const classify::Attribution& attribution_;
  std::vector<Kind> kinds_;                   // by row of labels
  std::vector<uint32_t> combination_of_row_;  // of labels
  std::vector<uint32_t> row_of_combination_;  // the first
  classify::StepOrder order_;
  classify::StepStarts starts_;
  std::vector<PhaseSums> phases_;
  size_t outside_ = 0;
  std::vector<bool> of_phase_;  // by step and phase
  std::vector<uint32_t> left_;  // by step: operations and steps directly inside it, to come
  std::vector<uint32_t> slot_;  // by step: its place in `open_`; none: not begun
  std::vector<OpenStep> open_;
  std::vector<uint32_t> free_;  // places in `open_`
  StepSums out_;
};

}  // namespace

StepSums sum_steps(const sema::Program& program, const trace::Trace& trace,
                   const classify::Labelled& labelled, const classify::Attribution& attribution) {
  if (attribution.steps.empty()) return {};
  return Summer(program, trace, labelled, attribution).sum();
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
  struct Walls {
    std::vector<int64_t> times;
    WalledSteps together;
  };
  std::vector<Walls> by_phase;
  std::map<std::string_view, size_t> places;
  for (size_t i = 0; i < sums.steps.size(); ++i) {
    const std::optional<int64_t> wall_ns = sums.steps.wall_ns(i);
    if (!wall_ns) continue;
    const uint32_t phase = sums.steps.phase_number(i);
    if (phase >= by_phase.size()) by_phase.resize(phase + 1);
    auto& [times, together] = by_phase[phase];
    if (times.empty()) places.emplace(sums.steps.phase(i), phase);
    times.push_back(*wall_ns);
    const StepPart step = sums.steps[i];
    together.wall_ns = add_saturated(together.wall_ns, *wall_ns);
    together.busy_ns = add_saturated(together.busy_ns, step.time.busy_ns);
    if (!step.tokens) together.tokens.reset();
    if (together.tokens) together.tokens = add_saturated(*together.tokens, *step.tokens);
  }
  for (PhasePart& phase : sums.phases) {
    const auto found = places.find(phase.phase);
    if (found == places.end()) continue;
    Walls& walls = by_phase[found->second];
    phase.wall = wall_times_of(std::move(walls.times));
    phase.walled = walls.together;
  }
}

std::optional<WallTimes> wall_times_of(std::vector<int64_t> times) {
  if (times.empty()) return std::nullopt;
  std::sort(times.begin(), times.end());
  const size_t middle = times.size() / 2;
  const auto upper = static_cast<double>(times[middle]);
  const double median =
      times.size() % 2 == 1 ? upper : (static_cast<double>(times[middle - 1]) + upper) / 2;
  return WallTimes{median, times[(times.size() * 95 + 99) / 100 - 1], times.back()};
}

std::vector<int64_t> occurrences_of(const StepParts& steps) {
  const auto key = [&](uint32_t step) {
    return std::pair(steps.phase_number(step), steps.number(step));
  };
  std::vector<uint32_t> order(steps.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  std::vector<int64_t> out(steps.size());
  for (size_t i = 1; i < order.size(); ++i) {
    if (key(order[i]) == key(order[i - 1])) out[order[i]] = out[order[i - 1]] + 1;
  }
  return out;
}

std::optional<std::pair<StepSums, Warning>> with_sample(const StepSums& sums) {
  if (!has_too_many_rows(sums.steps)) return std::nullopt;
  StepSums out{{}, sample_of(sums.steps), sums.too_deep, sums.phases};
  Warning note{"sampled-steps",
               fmt::format("the saved run has a sample of {} of {} steps: medians of steps and "
                           "their intervals are those of the sample, and sums are those of all "
                           "steps.",
                           text::grouped(static_cast<int64_t>(out.sample->steps.size())),
                           text::grouped(out.sample->all_steps()))};
  return std::pair(std::move(out), std::move(note));
}

std::optional<Warning> outside_steps(const StepSums& sums, int64_t total_ns) {
  if (sums.steps.empty()) return std::nullopt;
  for (const PhasePart& phase : sums.phases) {
    if (phase.phase != scopes::outside_steps_name || phase.total_ns <= total_ns / 20) continue;
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
