#include "changes/phases.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "changes/new_run.hpp"
#include "changes/run_values.hpp"

namespace kr::changes {
namespace {

std::optional<StepChange> step_change(std::vector<int64_t> a, std::vector<int64_t> b,
                                      bool one_new_run) {
  if (a.empty() || b.empty()) return std::nullopt;
  StepChange out{median(a), median(b), {}};
  if (one_new_run) {
    out.median = new_run_change(a, b[0]);
    return out;
  }
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
  const Per per = per_of(a, b);
  std::vector<std::pair<int64_t, PhaseChange>> found;
  for (const auto& [phase, time] : left) {
    const auto other = right.find(phase);
    if (other == right.end()) continue;
    const auto change = [&, name = &phase](StepMeasure measure) {
      return step_change(step_values(a, steps, *name, measure, per),
                         step_values(b, steps, *name, measure, per), is_one_new_run(a, b));
    };
    PhaseChange one{phase, steps == &Profile::repeats, time.steps, other->second.steps, {}, {}, {},
                    {}};
    one.wall = change(StepMeasure::wall);
    one.idle = change(StepMeasure::idle);
    one.busy = change(StepMeasure::busy);
    one.work = *change(StepMeasure::work);
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
