#include "changes/phases.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kr::changes {
namespace {

using StepsOf = std::vector<StepTime> Profile::*;

/// One number per step of a phase, or per run where there are several: the median of its steps.
/// `of(step)`: an optional number.
template <class Of>
std::vector<int64_t> step_values(std::span<const Profile> runs, StepsOf steps,
                                 const std::string& phase, const Of& of) {
  std::vector<int64_t> values;
  for (const Profile& run : runs) {
    std::vector<int64_t> own;
    for (const StepTime& step : run.*steps) {
      const std::optional<int64_t> value = of(step);
      if (step.phase == phase && value) own.push_back(*value);
    }
    if (runs.size() == 1) return own;
    if (!own.empty()) values.push_back(std::llround(median(std::move(own))));
  }
  return values;
}

std::optional<StepChange> step_change(std::vector<int64_t> a, std::vector<int64_t> b) {
  if (a.empty() || b.empty()) return std::nullopt;
  StepChange out{median(a), median(b), {}};
  if (std::min(a.size(), b.size()) < min_values) return out;
  const MedianDraws a_draws(a.size(), a_seed), b_draws(b.size(), b_seed);
  out.median = median_change(std::move(a), a_draws, std::move(b), b_draws);
  return out;
}

std::map<std::string, PhaseTime> times_of(std::span<const Profile> runs, StepsOf steps) {
  std::map<std::string, PhaseTime> phases;
  for (const Profile& run : runs) {
    const auto add = [&](const auto& time, int64_t count) {
      PhaseTime& phase = phases[time.phase];
      phase.steps += count;
      phase.total_ns += time.total_ns;
    };
    const auto& all = steps == &Profile::steps ? run.all_steps : run.all_repeats;
    for (const StepsTime& one : all) add(one, one.steps);
    if (!all.empty()) continue;
    for (const StepTime& one : run.*steps) add(one, 1);
  }
  return phases;
}

std::vector<PhaseChange> changes_of(std::span<const Profile> a, std::span<const Profile> b,
                                    StepsOf steps) {
  const std::map<std::string, PhaseTime> left = times_of(a, steps), right = times_of(b, steps);
  std::vector<std::pair<int64_t, PhaseChange>> found;
  for (const auto& [phase, time] : left) {
    const auto other = right.find(phase);
    if (other == right.end()) continue;
    const auto change = [&, name = &phase](const auto& of) {
      return step_change(step_values(a, steps, *name, of), step_values(b, steps, *name, of));
    };
    using Value = std::optional<int64_t>;
    PhaseChange one{phase, steps == &Profile::repeats, time.steps, other->second.steps, {}, {}, {},
                    {}};
    one.wall = change([](const StepTime& step) { return step.wall_ns; });
    one.idle = change([](const StepTime& step) {
      return step.wall_ns ? Value(std::max<int64_t>(0, *step.wall_ns - step.busy_ns)) : Value();
    });
    one.busy =
        change([](const StepTime& step) { return step.wall_ns ? Value(step.busy_ns) : Value(); });
    one.work = *change([](const StepTime& step) { return Value(step.total_ns); });
    found.emplace_back(time.total_ns + other->second.total_ns, std::move(one));
  }
  std::ranges::stable_sort(found, [](const auto& x, const auto& y) { return x.first > y.first; });
  std::vector<PhaseChange> out;
  out.reserve(found.size());
  for (auto& [work, one] : found) out.push_back(std::move(one));
  return out;
}

}  // namespace

std::map<std::string, PhaseTime> times_of_phases(std::span<const Profile> runs) {
  return times_of(runs, &Profile::steps);
}

std::vector<PhaseChange> changes_of_phases(std::span<const Profile> a, std::span<const Profile> b) {
  std::vector<PhaseChange> of_steps = changes_of(a, b, &Profile::steps);
  return of_steps.empty() ? changes_of(a, b, &Profile::repeats) : of_steps;
}

Verdict verdict_of(const MedianChange& median) noexcept {
  const bool small = std::abs(median.change_ns) * 100 < min_percent * median.a_ns;
  if (median.within_noise() || small) return Verdict::within_noise;
  return median.change_ns > 0 ? Verdict::more : Verdict::less;
}

std::optional<double> StepChange::percent() const noexcept {
  return a_ns > 0 ? std::optional(100 * (b_ns / a_ns - 1)) : std::nullopt;
}

Measured StepChange::measured() const {
  if (!median) return {a_ns, b_ns - a_ns, {}};
  return {median->a_ns, median->change_ns,
          Measured::Interval{median->low_ns, median->high_ns, median->percent}};
}

}  // namespace kr::changes
