#include "changes/run_values.hpp"

#include <algorithm>
#include <cmath>

#include "changes/median_change.hpp"

namespace kr::changes {

Per per_of(std::span<const Profile> a, std::span<const Profile> b) noexcept {
  return a.size() > 1 || b.size() > 1 ? Per::run : Per::step;
}

bool is_one_new_run(std::span<const Profile> a, std::span<const Profile> b) noexcept {
  return a.size() > 1 && b.size() == 1;
}

std::optional<int64_t> measure_of(const StepTime& step, StepMeasure measure) noexcept {
  if (measure == StepMeasure::work) return step.total_ns;
  if (!step.wall_ns) return std::nullopt;
  switch (measure) {
    case StepMeasure::wall:
      return step.wall_ns;
    case StepMeasure::idle:
      return std::max<int64_t>(0, *step.wall_ns - step.busy_ns);
    case StepMeasure::busy:
    case StepMeasure::work:
      break;
  }
  return step.busy_ns;
}

std::vector<int64_t> step_values(std::span<const Profile> runs, StepsOf steps,
                                 const std::string& phase, StepMeasure measure, Per per) {
  std::vector<int64_t> values;
  for (const Profile& run : runs) {
    std::vector<int64_t> own;
    for (const StepTime& step : run.*steps) {
      if (step.phase != phase) continue;
      if (const auto value = measure_of(step, measure)) own.push_back(*value);
    }
    if (per == Per::step) {
      values.insert(values.end(), own.begin(), own.end());
    } else if (!own.empty()) {
      values.push_back(std::llround(median(std::move(own))));
    }
  }
  return values;
}

WorkValues::WorkValues(std::span<const Profile> runs, const Unit& unit, Per per) {
  for (const Profile& run : runs) {
    if (per == Per::run) {
      add_run(run, unit);
    } else if (unit.kind == Unit::Kind::steps) {
      for (const StepTime& step : run.steps) {
        if (step.phase == unit.phase) add_step(run, step);
      }
    }
  }
}

std::vector<int64_t> WorkValues::of(const Label& label) const {
  const auto found = times_.find(label);
  std::vector<int64_t> values = found == times_.end() ? std::vector<int64_t>() : found->second;
  values.resize(size_);
  return values;
}

void WorkValues::add(const Label& label, int64_t ns) {
  std::vector<int64_t>& values = times_[label];
  values.resize(size_);
  values.back() += ns;
}

void WorkValues::add_step(const Profile& run, const StepTime& step) {
  ++size_;
  add({}, step.total_ns);
  for (const LabelTime& label : step.labels) {
    add({run.dimensions[label.dimension], label.label}, label.total_ns);
  }
}

/// A run without the unit has no value: its whole time is not that of a unit.
void WorkValues::add_run(const Profile& run, const Unit& unit) {
  if (unit.kind == Unit::Kind::steps) {
    const WorkValues steps({&run, 1}, unit, Per::step);
    if (steps.size() == 0) return;
    ++size_;
    for (const auto& [label, values] : steps.times_) {
      add(label, static_cast<int64_t>(median(steps.of(label))));
    }
    return;
  }
  if (unit.kind == Unit::Kind::blocks && run.blocks <= 0) return;
  const int64_t units = unit.kind == Unit::Kind::blocks ? run.blocks : 1;
  ++size_;
  add({}, run.all.total_ns / units);
  std::map<Label, int64_t> sums;
  for (const NameTime& name : run.names) {
    for (size_t i = 0; i < name.labels.size(); ++i) {
      sums[{run.dimensions[i], name.labels[i]}] += name.amount.total_ns;
    }
  }
  for (const OrderedTime& one : run.ordered) {
    sums[{run.dimensions[one.dimension], one.label}] += one.amount.total_ns;
  }
  for (const auto& [label, ns] : sums) add(label, ns / units);
}

}  // namespace kr::changes
