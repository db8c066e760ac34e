#include "changes/tree_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/error.hpp"
#include "base/saturated.hpp"
#include "facts/fields.hpp"

namespace kr::changes {
namespace {

using facts::Fields;

constexpr std::array<trees::Level, 3> kept_levels{trees::Level{trees::Level::Kind::kernel, 0},
                                                  trees::Level{trees::Level::Kind::module, 0},
                                                  trees::Level{trees::Level::Kind::layer, 0}};

/// One for each label.
void join_labels(StepTime& step) {
  std::map<std::pair<size_t, std::string>, int64_t> sums;
  for (const LabelTime& one : step.labels) sums[{one.dimension, one.label}] += one.total_ns;
  step.labels.clear();
  for (const auto& [key, total_ns] : sums) {
    step.labels.push_back({key.first, key.second, total_ns});
  }
}

void save_nodes(Fields& io, const char* name, std::vector<NameTime>& nodes, int64_t total_ns) {
  int64_t left_ns = total_ns;
  io.list(name, nodes, [&](Fields& row, NameTime& one) {
    row.text("path", one.name);
    row.amount("instances", one.amount.instances);
    row.amount("total_ns", one.amount.total_ns);
    row.take_from(left_ns, one.amount.total_ns);
  });
  io.check(left_ns == 0);
}

void save_names(Fields& io, Profile& profile) {
  int64_t left = profile.all.instances, left_ns = profile.all.total_ns;
  io.list("names", profile.names, [&](Fields& row, NameTime& one) {
    row.text("name", one.name);
    row.amount("instances", one.amount.instances);
    row.amount("total_ns", one.amount.total_ns);
    row.list("labels", one.labels,
             [](Fields& label, std::string& text) { label.text("label", text); });
    row.check(one.labels.size() == profile.dimensions.size());
    row.take_from(left, one.amount.instances);
    row.take_from(left_ns, one.amount.total_ns);
  });
  io.check(left == 0 && left_ns == 0);
}

void save_steps(Fields& io, Profile& profile) {
  int64_t run_left_ns = profile.all.total_ns;
  io.list("steps", profile.steps, [&](Fields& row, StepTime& step) {
    row.text("phase", step.phase);
    row.amount("total_ns", step.total_ns);
    row.take_from(run_left_ns, step.total_ns);
    // The labels of each dimension are the whole step.
    std::vector<int64_t> left_ns(profile.dimensions.size(), step.total_ns);
    row.list("labels", step.labels, [&](Fields& label, LabelTime& one) {
      label.place("dimension", one.dimension, profile.dimensions.size());
      label.text("label", one.label);
      label.amount("total_ns", one.total_ns);
      if (label.reads()) label.take_from(left_ns[one.dimension], one.total_ns);
    });
    row.check(std::ranges::all_of(left_ns, [](int64_t ns) { return ns == 0; }));
  });
}

}  // namespace

TreeTimes tree_times_of(const match::CompiledRules& rules, const trees::LabelledModules& modules) {
  TreeTimes times;
  times.profile = profile_of({}, rules, modules);
  for (StepTime& step : times.profile.steps) join_labels(step);
  for (const trees::Level level : kept_levels) {
    times.levels.emplace_back(level, nodes_of(rules, modules, level));
  }
  return times;
}

const std::vector<NameTime>& TreeTimes::nodes(trees::Level level, const std::string& run) const {
  const auto found =
      std::ranges::find_if(levels, [&](const auto& one) { return one.first == level; });
  if (found == levels.end()) {
    throw Error(run, fmt::format("was not saved at level {}", trees::to_string(level)),
                "compare at level kernel, module or layer, or name the trace");
  }
  return found->second;
}

void TreeTimes::saved(Fields& io, const analyze::RunSummary&) {
  io.amount("instances", profile.all.instances);
  io.amount("total_ns", profile.all.total_ns);
  if (io.reads()) profile.elapsed_ns = profile.all.total_ns;
  io.list("dimensions", profile.dimensions,
          [](Fields& row, std::string& name) { row.text("dimension", name); });
  save_names(io, profile);
  save_steps(io, profile);
  analyze::save_sequences(io, profile.sequences, profile.names.size());
  for (size_t i = 0; i < kept_levels.size(); ++i) {
    if (!io.writes()) levels.emplace_back(kept_levels[i], std::vector<NameTime>());
    const std::string name = trees::to_string(kept_levels[i]);
    save_nodes(io, name.c_str(), levels[i].second, profile.all.total_ns);
  }
}

}  // namespace kr::changes
