#include "changes/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>

namespace kr::changes {
namespace {

constexpr double least_common_percent = 50;
constexpr uint64_t a_seed = 1, b_seed = 2;

using NameKey = std::pair<std::string, OperationKind>;
using LabelKey = std::pair<std::string, std::string>;  // dimension, label

struct PhaseTime {
  int64_t steps = 0;
  int64_t total_ns = 0;
};

std::map<std::string, PhaseTime> phases_of(std::span<const Profile> runs) {
  std::map<std::string, PhaseTime> phases;
  for (const Profile& run : runs) {
    for (const StepTime& step : run.steps) {
      PhaseTime& phase = phases[step.phase];
      ++phase.steps;
      phase.total_ns += step.total_ns;
    }
  }
  return phases;
}

int64_t layers_of(std::span<const Profile> runs) {
  int64_t layers = 0;
  for (const Profile& run : runs) layers += run.layers;
  return layers;
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

/// One number per step of the unit's phase, or per run where a side has several: the time of each
/// label, and of all.
class Samples {
 public:
  Samples(std::span<const Profile> runs, const Unit& unit) {
    if (runs.size() > 1) {
      for (const Profile& run : runs) add_run(run, unit);
    } else if (unit.kind == Unit::Kind::steps) {
      for (const StepTime& step : runs[0].steps) {
        if (step.phase == unit.phase) add_step(runs[0], step);
      }
    }
  }

  size_t size() const noexcept { return size_; }
  /// What a label has in no step counts as 0.
  std::vector<int64_t> of(const LabelKey& label) const {
    const auto found = times_.find(label);
    std::vector<int64_t> values = found == times_.end() ? std::vector<int64_t>() : found->second;
    values.resize(size_);
    return values;
  }

 private:
  void add(const LabelKey& label, int64_t ns) {
    std::vector<int64_t>& values = times_[label];
    values.resize(size_);
    values.back() += ns;
  }

  void add_step(const Profile& run, const StepTime& step) {
    ++size_;
    add({}, step.total_ns);
    for (const LabelTime& label : step.labels) {
      add({run.dimensions[label.dimension], label.label}, label.total_ns);
    }
  }

  void add_run(const Profile& run, const Unit& unit) {
    const Profile* const one = &run;
    const Samples steps({one, 1}, unit);
    ++size_;
    if (steps.size() != 0) {
      for (const auto& [label, values] : steps.times_) {
        add(label, static_cast<int64_t>(median(steps.of(label))));
      }
      return;
    }
    const int64_t units = unit.kind == Unit::Kind::layers ? std::max<int64_t>(run.layers, 1) : 1;
    add({}, run.all.total_ns / units);
    std::map<LabelKey, int64_t> sums;
    for (const NameTime& name : run.names) {
      for (size_t i = 0; i < name.labels.size(); ++i) {
        sums[{run.dimensions[i], name.labels[i]}] += name.amount.total_ns;
      }
    }
    for (const auto& [label, ns] : sums) add(label, ns / units);
  }

  std::map<LabelKey, std::vector<int64_t>> times_;
  size_t size_ = 0;
};

/// The phase that has half of the time of each side or more: the one of which the side that has
/// less of it has most.
std::optional<Unit> steps_unit(std::span<const Profile> a, std::span<const Profile> b) {
  const std::map<std::string, PhaseTime> left = phases_of(a), right = phases_of(b);
  std::optional<Unit> unit;
  int64_t most = -1;
  for (const auto& [phase, time] : left) {
    const auto other = right.find(phase);
    if (other == right.end()) continue;
    const int64_t b_ns = other->second.total_ns;
    if (time.total_ns < total_of(a) / 2 || b_ns < total_of(b) / 2) continue;
    if (std::min(time.total_ns, b_ns) <= most) continue;
    most = std::min(time.total_ns, b_ns);
    unit = Unit{Unit::Kind::steps, phase, time.steps, other->second.steps};
  }
  return unit;
}

/// Whether both say the same of how much longer one run is. Layers found by repetition may be a few
/// too few, at the ends of a trace or where a kernel of another kind stands between.
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
  Unit layers{Unit::Kind::layers, {}, layers_of(a), layers_of(b)};
  if (layers.a > 0 && layers.b > 0 && (operations.a == 0 || alike(layers, operations))) {
    return layers;
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
    changes.push_back({key.first, key.second, time, parts_of({&time, 1})});
  }
  return changes;
}

/// The names of each label, in both runs. Dimensions stand in the order in which the runs have
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
        for (const NameTime& name : run.names) {
          LabelNames& label = labels[{dimension, name.labels[i]}];
          label.dimension = place;
          label.names[{name.name, name.kind}].*side += name.amount;
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
    LabelChange change{key.first, key.second, {}, {}, {}};
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

double change_per_unit(const Unit& unit, const NameChange& name) {
  return static_cast<double>(name.time.b.total_ns) / static_cast<double>(unit.b) -
         static_cast<double>(name.time.a.total_ns) / static_cast<double>(unit.a);
}
double change_per_unit(const Unit& unit, const LabelChange& label) {
  return label.measured(unit).change_ns;
}

/// The largest change per unit first: what is only more or less of the same comes last.
template <class Change>
auto by_size(const Unit& unit) {
  return [unit](const Change& x, const Change& y) {
    return std::abs(change_per_unit(unit, x)) > std::abs(change_per_unit(unit, y));
  };
}

}  // namespace

std::string Unit::text() const {
  switch (kind) {
    case Kind::steps:
      return phase == "step" ? "steps" : "steps of " + phase;
    case Kind::layers:
      return "layers";
    case Kind::operations:
      return "operations of common names";
    case Kind::runs:
      return "runs";
  }
  return {};
}

std::optional<double> Unit::change_percent(const Pair& pair) const {
  if (pair.a.total_ns == 0) return std::nullopt;
  const auto ratio = static_cast<long double>(pair.b.total_ns) / static_cast<long double>(b) *
                     static_cast<long double>(a) / static_cast<long double>(pair.a.total_ns);
  return static_cast<double>(100 * (ratio - 1));
}

Measured LabelChange::measured(const Unit& unit) const {
  if (median) {
    return {median->a_ns, median->change_ns,
            Measured::Interval{median->low_ns, median->high_ns, median->percent}};
  }
  const double a = static_cast<double>(time.a.total_ns) / static_cast<double>(unit.a);
  return {a, static_cast<double>(time.b.total_ns) / static_cast<double>(unit.b) - a, {}};
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
  }
  for (const Profile& run : b) {
    comparison.total.time.b += run.all;
    comparison.b_elapsed_ns += run.elapsed_ns;
  }
  comparison.names = name_changes(a, b);
  comparison.labels = label_changes(a, b);
  comparison.unit = unit_of(a, b, comparison.names);
  std::vector<Pair> pairs;
  for (const NameChange& name : comparison.names) pairs.push_back(name.time);
  comparison.total.parts = parts_of(pairs);
  const Samples left(a, comparison.unit), right(b, comparison.unit);
  if (std::min(left.size(), right.size()) >= least_values) {
    const MedianDraws left_draws(left.size(), a_seed), right_draws(right.size(), b_seed);
    const auto measure = [&](LabelChange& one) {
      const LabelKey key{one.dimension, one.label};
      one.median = median_change(left.of(key), left_draws, right.of(key), right_draws);
    };
    measure(comparison.total);
    std::ranges::for_each(comparison.labels, measure);
  }
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
  comparison.comparable = std::min(a_labels, b_labels) >= least_common_percent;
  comparison.why = fmt::format(
      "{:.1f} % and {:.1f} % of the time has labels that both runs have, {:.1f} % and {:.1f} % "
      "names that both have",
      a_labels, b_labels, a_names, b_names);
  if (comparison.comparable) comparison.substitutions = find_substitutions(a, b, by);
  return comparison;
}

}  // namespace kr::changes
