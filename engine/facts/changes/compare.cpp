#include "changes/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>

#include "changes/new_run.hpp"
#include "changes/run_values.hpp"

namespace kr::changes {
namespace {

constexpr double min_common_percent = 50;

using NameKey = std::pair<std::string, OperationKind>;
using LabelKey = std::pair<std::string, std::string>;  // dimension, label

int64_t blocks_of(std::span<const Profile> runs) {
  int64_t blocks = 0;
  for (const Profile& run : runs) blocks += run.blocks;
  return blocks;
}

int64_t total_of(std::span<const Profile> runs) {
  int64_t total = 0;
  for (const Profile& run : runs) total += run.all.total_ns;
  return total;
}

double percent_of(int64_t part, int64_t whole) {
  return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 100.0;
}

/// The time of a module itself has no calls.
bool is_nothing(const Amount& amount) {
  return amount.instances == 0 && amount.total_ns == 0;
}

/// The time of each side in what both have, in percent.
template <class Pairs>
std::pair<double, double> in_common(const Pairs& pairs, const Pair& all) {
  Pair common;
  for (const auto& one : pairs) {
    if (is_nothing(one.time.a) || is_nothing(one.time.b)) continue;
    common.a += one.time.a;
    common.b += one.time.b;
  }
  return {percent_of(common.a.total_ns, all.a.total_ns),
          percent_of(common.b.total_ns, all.b.total_ns)};
}

int64_t steps_total_of(const std::map<std::string, PhaseTime>& phases) {
  int64_t total = 0;
  for (const auto& [phase, time] : phases) total += time.total_ns;
  return total;
}

/// The phase of which the side that has less of it has most, if steps have half of the time of each
/// side or more.
std::optional<Unit> steps_unit(std::span<const Profile> a, std::span<const Profile> b) {
  const std::map<std::string, PhaseTime> left = times_of_phases(a), right = times_of_phases(b);
  if (steps_total_of(left) < total_of(a) / 2 || steps_total_of(right) < total_of(b) / 2) return {};
  std::optional<Unit> unit;
  int64_t most = -1;
  for (const auto& [phase, time] : left) {
    const auto other = right.find(phase);
    if (other == right.end() || std::min(time.total_ns, other->second.total_ns) <= most) continue;
    most = std::min(time.total_ns, other->second.total_ns);
    unit = Unit{Unit::Kind::steps, phase, time.steps, other->second.steps};
  }
  return unit;
}

/// Whether both say the same of how much longer one run is. Blocks found by repetition may be a few
/// too few, at the ends of a trace or where a kernel of another kind is between.
bool alike(const Unit& x, const Unit& y) {
  constexpr double most = 0.02;
  const auto ratio = [](const Unit& unit) {
    return static_cast<double>(unit.b) / static_cast<double>(unit.a);
  };
  return std::abs(ratio(x) / ratio(y) - 1) <= most;
}

Unit unit_of(std::span<const Profile> a, std::span<const Profile> b,
             std::span<const NameChange> names) {
  if (const auto steps = steps_unit(a, b)) return *steps;
  Unit operations{Unit::Kind::operations, {}, 0, 0};
  for (const NameChange& name : names) {
    if (name.time.a.instances == 0 || name.time.b.instances == 0) continue;
    operations.a += name.time.a.instances;
    operations.b += name.time.b.instances;
  }
  Unit blocks{Unit::Kind::blocks, {}, blocks_of(a), blocks_of(b)};
  if (blocks.a > 0 && blocks.b > 0 && (operations.a == 0 || alike(blocks, operations))) {
    return blocks;
  }
  if (a.size() == 1 && b.size() == 1 && operations.a != 0) return operations;
  return {Unit::Kind::runs, {}, static_cast<int64_t>(a.size()), static_cast<int64_t>(b.size())};
}

std::vector<NameChange> name_changes(std::span<const Profile> a, std::span<const Profile> b) {
  std::map<NameKey, Pair> times;
  const auto add = [&](std::span<const Profile> runs, Amount Pair::*side) {
    for (const Profile& run : runs) {
      for (const NameTime& name : run.nodes.empty() ? run.names : run.nodes) {
        times[{name.name, name.kind}].*side += name.amount;
      }
    }
  };
  add(a, &Pair::a);
  add(b, &Pair::b);
  std::vector<NameChange> changes;
  changes.reserve(times.size());
  for (const auto& [key, time] : times) {
    changes.push_back({key.first, key.second, time, parts_of({&time, 1}), {}});
  }
  return changes;
}

/// The names of each label, in both runs. Dimensions are in the order in which the runs have
/// them.
struct LabelNames {
  size_t dimension;  // its place
  std::map<NameKey, Pair> names;
};

std::vector<LabelChange> label_changes(std::span<const Profile> a, std::span<const Profile> b) {
  std::vector<std::string> dimensions;
  std::map<LabelKey, LabelNames> labels;
  const auto add = [&](std::span<const Profile> runs, Amount Pair::*side) {
    for (const Profile& run : runs) {
      for (size_t i = 0; i < run.dimensions.size(); ++i) {
        const std::string& dimension = run.dimensions[i];
        const auto at = std::ranges::find(dimensions, dimension);
        const auto place = static_cast<size_t>(at - dimensions.begin());
        if (at == dimensions.end()) dimensions.push_back(dimension);
        const auto add_name = [&](const NameTime& name, const std::string& of,
                                  const Amount& amount) {
          LabelNames& label = labels[{dimension, of}];
          label.dimension = place;
          label.names[{name.name, name.kind}].*side += amount;
        };
        for (const NameTime& name : run.names) {
          if (i < name.labels.size()) add_name(name, name.labels[i], name.amount);
        }
        for (const OrderedTime& one : run.ordered) {
          if (one.dimension == i) add_name(run.names[one.name], one.label, one.amount);
        }
      }
    }
  };
  add(a, &Pair::a);
  add(b, &Pair::b);
  std::vector<LabelChange> changes;
  std::vector<Pair> pairs;
  for (const auto& [key, label] : labels) {
    pairs.clear();
    LabelChange change{key.first, key.second, {}, {}, {}, {}};
    for (const auto& [name, pair] : label.names) {
      pairs.push_back(pair);
      change.time.a += pair.a;
      change.time.b += pair.b;
    }
    change.parts = parts_of(pairs);
    changes.push_back(std::move(change));
  }
  std::ranges::stable_sort(changes, [&](const LabelChange& x, const LabelChange& y) {
    return labels.at({x.dimension, x.label}).dimension <
           labels.at({y.dimension, y.label}).dimension;
  });
  return changes;
}

double change_per_unit(const Unit& unit, const Pair& time) {
  return static_cast<double>(time.b.total_ns) / static_cast<double>(unit.b) -
         static_cast<double>(time.a.total_ns) / static_cast<double>(unit.a);
}
double change_per_unit(const Unit& unit, const NameChange& name) {
  return change_per_unit(unit, name.time);
}
double change_per_unit(const Unit&, const LabelChange& label) {
  return label.measured().change_ns;
}

/// The largest change per unit first: what is only more or less of the same comes last.
template <class Change>
auto by_size(const Unit& unit) {
  return [unit](const Change& x, const Change& y) {
    return std::abs(change_per_unit(unit, x)) > std::abs(change_per_unit(unit, y));
  };
}

PerUnit mean_of(const Unit& unit, const Pair& time) {
  return {static_cast<double>(time.a.total_ns) / static_cast<double>(unit.a),
          static_cast<double>(time.b.total_ns) / static_cast<double>(unit.b)};
}

/// The work of the unit's steps by label, and of all under no label.
std::map<LabelKey, Pair> work_of_steps(std::span<const Profile> a, std::span<const Profile> b,
                                       const std::string& phase) {
  std::map<LabelKey, Pair> out;
  const auto add = [&](std::span<const Profile> runs, Amount Pair::*side) {
    for (const Profile& run : runs) {
      const auto add_time = [&](const auto& time, int64_t steps) {
        if (time.phase != phase) return;
        out[{}].*side += {steps, time.total_ns};
        for (const LabelTime& label : time.labels) {
          out[{run.dimensions[label.dimension], label.label}].*side += {steps, label.total_ns};
        }
      };
      for (const StepsTime& all : run.all_steps) add_time(all, all.steps);
      if (!run.all_steps.empty()) continue;
      for (const StepTime& step : run.steps) add_time(step, 1);
    }
  };
  add(a, &Pair::a);
  add(b, &Pair::b);
  return out;
}

void add_means(std::span<const Profile> a, std::span<const Profile> b, Comparison& comparison) {
  const Unit& unit = comparison.unit;
  const bool of_steps = unit.kind == Unit::Kind::steps;
  std::map<LabelKey, Pair> steps;
  if (of_steps) steps = work_of_steps(a, b, unit.phase);
  const auto add = [&](LabelChange& one) {
    one.per_unit = mean_of(unit, of_steps ? steps[{one.dimension, one.label}] : one.time);
  };
  add(comparison.total);
  std::ranges::for_each(comparison.labels, add);
  const Pair& all = comparison.total.time;
  const bool whole = !of_steps || (steps[{}].a.total_ns == all.a.total_ns &&
                                   steps[{}].b.total_ns == all.b.total_ns);
  if (!whole) return;
  for (NameChange& name : comparison.names) name.per_unit = mean_of(unit, name.time);
}

/// The changes of the work of a unit, with their intervals.
void measure_changes(const WorkValues& a, const WorkValues& b, bool one_new_run,
                     Comparison& comparison) {
  const auto measure_all = [&](const auto& change) {
    const auto measure = [&](LabelChange& one) {
      const LabelKey key{one.dimension, one.label};
      one.median = change(a.of(key), b.of(key));
    };
    measure(comparison.total);
    std::ranges::for_each(comparison.labels, measure);
  };
  if (one_new_run && b.size() == 1) {
    measure_all(
        [](const auto& earlier, const auto& fresh) { return new_run_change(earlier, fresh[0]); });
  } else if (std::min(a.size(), b.size()) >= min_values) {
    const MedianDraws a_draws(a.size(), a_seed), b_draws(b.size(), b_seed);
    measure_all([&](auto before, auto after) {
      return median_change(std::move(before), a_draws, std::move(after), b_draws);
    });
  }
}

std::string not_judged(std::span<const Profile> a, std::span<const Profile> b) {
  for (const std::span<const Profile> side : {a, b}) {
    for (const Profile& run : side) {
      if (!run.incomplete.empty()) return fmt::format("{}: {}", run.run, run.incomplete);
    }
  }
  return {};
}

}  // namespace

std::string Unit::text() const {
  switch (kind) {
    case Kind::steps:
      return phase == "step" ? "steps" : "steps of " + phase;
    case Kind::blocks:
      return "repeated blocks";
    case Kind::operations:
      return "operations of common names";
    case Kind::runs:
      return "runs";
  }
  return {};
}

std::string_view Unit::word() const noexcept {
  switch (kind) {
    case Kind::steps:
      return "step";
    case Kind::blocks:
      return "block";
    case Kind::operations:
      return "operation";
    case Kind::runs:
      return "run";
  }
  return {};
}

std::optional<double> Unit::change_percent(int64_t a_ns, int64_t b_ns) const {
  if (a_ns == 0) return std::nullopt;
  const auto ratio = static_cast<long double>(b_ns) / static_cast<long double>(b) *
                     static_cast<long double>(a) / static_cast<long double>(a_ns);
  return static_cast<double>(100 * (ratio - 1));
}

std::optional<double> PerUnit::percent() const noexcept {
  return a_ns > 0 ? std::optional(100 * (b_ns / a_ns - 1)) : std::nullopt;
}

Measured LabelChange::measured() const {
  if (median) {
    return {median->a_ns, median->change_ns,
            Measured::Interval{median->low_ns, median->high_ns, median->percent}};
  }
  return {per_unit.a_ns, per_unit.b_ns - per_unit.a_ns, {}};
}

const PhaseChange* Comparison::main_phase() const noexcept {
  const auto found = std::ranges::find_if(phases, [&](const PhaseChange& one) {
    return one.wall && (one.of_repeats || one.phase == unit.phase);
  });
  return found == phases.end() ? nullptr : &*found;
}

bool Comparison::same() const noexcept {
  return std::ranges::all_of(names, [](const NameChange& name) {
    return name.time.change_ns() == 0 && name.time.a.instances == name.time.b.instances;
  });
}

Comparison compare(std::span<const Profile> a, std::span<const Profile> b, std::string_view by) {
  Comparison comparison;
  // First, since it throws where the sums that follow would be too large.
  for (const Profile& run : a) {
    comparison.total.time.a += run.all;
    comparison.a_elapsed_ns += run.elapsed_ns;
    comparison.a_span_ns += run.span_ns;
  }
  for (const Profile& run : b) {
    comparison.total.time.b += run.all;
    comparison.b_elapsed_ns += run.elapsed_ns;
    comparison.b_span_ns += run.span_ns;
  }
  comparison.names = name_changes(a, b);
  comparison.labels = label_changes(a, b);
  comparison.unit = unit_of(a, b, comparison.names);
  comparison.phases = changes_of_phases(a, b);
  comparison.not_judged = not_judged(a, b);
  std::vector<Pair> pairs;
  for (const NameChange& name : comparison.names) pairs.push_back(name.time);
  comparison.total.parts = parts_of(pairs);
  add_means(a, b, comparison);
  const Per per = per_of(a, b);
  const WorkValues left(a, comparison.unit, per), right(b, comparison.unit, per);
  measure_changes(left, right, is_one_new_run(a, b), comparison);
  if (is_one_new_run(a, b) && comparison.total.median) comparison.earlier_runs = left.size();
  for (auto begin = comparison.labels.begin(); begin != comparison.labels.end();) {
    const auto end = std::find_if(begin, comparison.labels.end(), [&](const LabelChange& one) {
      return one.dimension != begin->dimension;
    });
    std::stable_sort(begin, end, by_size<LabelChange>(comparison.unit));
    begin = end;
  }
  std::ranges::stable_sort(comparison.names, by_size<NameChange>(comparison.unit));

  std::vector<LabelChange> of_dimension;
  std::ranges::copy_if(comparison.labels, std::back_inserter(of_dimension),
                       [&](const LabelChange& one) { return one.dimension == by; });
  const Pair& all = comparison.total.time;
  const auto [a_labels, b_labels] = in_common(of_dimension, all);
  const auto [a_names, b_names] = in_common(comparison.names, all);
  if ((all.a.instances == 0) != (all.b.instances == 0)) {
    comparison.comparable = false;
    comparison.why = fmt::format("no operations in {}", all.a.instances == 0 ? a[0].run : b[0].run);
    return comparison;
  }
  comparison.comparable = std::min(a_labels, b_labels) >= min_common_percent;
  const bool by_names = std::min(a_names, b_names) >= min_common_percent;
  comparison.why = fmt::format(
      "{}{:.1f} % and {:.1f} % of the time has names that both runs have, {:.1f} % and {:.1f} % "
      "labels that both have",
      by_names || !comparison.comparable ? "" : "by label alone, ", a_names, b_names, a_labels,
      b_labels);
  if (comparison.comparable) comparison.substitutions = find_substitutions(a, b, by);
  return comparison;
}

}  // namespace kr::changes
