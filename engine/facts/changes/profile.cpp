#include "changes/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "sema/about_some.hpp"
#include "trees/names.hpp"

namespace kr::changes {
namespace {

std::vector<LabelTime> times_of(const analyze::LabelParts& parts) {
  std::vector<LabelTime> times;
  for (size_t i = 0; i < parts.size(); ++i) {
    for (const analyze::LabelPart& label : parts[i].second) {
      times.push_back({i, label.label, label.total_ns});
    }
  }
  return times;
}

void add_steps(const analyze::StepParts& steps, Profile& profile) {
  for (size_t k = 0; k < steps.size(); ++k) {
    const analyze::StepPart step = steps[k];
    // One inside another is a part of it; one that launched nothing would halve the medians.
    if (step.instances == 0 || step.outer) continue;
    StepTime& time = profile.steps.emplace_back(
        StepTime{std::string(step.phase), step.total_ns, {}, step.wall_ns, step.time.busy_ns});
    time.labels = times_of(steps.labels(k));
  }
}

void add_sample(const analyze::StepSample& sample, Profile& profile) {
  for (const analyze::StepSample::Step& step : sample.steps) {
    profile.steps.push_back(
        {step.phase, step.total_ns, times_of(step.labels), step.wall_ns, step.busy_ns});
  }
  for (const analyze::StepSample::PhaseSum& sum : sample.sums) {
    profile.all_steps.push_back({sum.phase, sum.steps, sum.total_ns, times_of(sum.labels)});
  }
}

/// Kernels and steps of module trees.
class TreeProfile {
 public:
  TreeProfile(const match::CompiledRules& rules, const trees::LabelledModules& modules,
              Profile& profile)
      : modules_(modules), profile_(profile) {
    const sema::Program& program = rules.program();
    trees::ViewOptions options;
    options.level = {trees::Level::Kind::kernel, 0};
    options.ruleset_folds = false;
    for (const sema::Table& table : program.models.get(modules.choice.model).tables) {
      options.dimension = program.dimensions.get(table.dimension).name;
      views_.emplace_back(rules, modules, options);
      if (sema::is_about_some(program, table) && !has_some()) {
        views_.pop_back();
        continue;
      }
      profile.dimensions.push_back(options.dimension);
    }
    if (views_.empty()) views_.emplace_back(rules, modules, options);
  }

  void add() {
    const trees::TreeView& view = views_.front();
    std::vector<trace::ModuleNode> nodes;
    std::vector<trees::ViewRow> rows;
    std::map<uint32_t, Amount> kernels;  // by path
    const std::map<std::string, size_t> typical = typical_steps();
    for (size_t i = 0; i < view.steps().size(); ++i) {
      view.rows(i, nodes, rows);
      const trees::ViewStep& shown = view.steps()[i];
      StepTime step{shown.phase, shown.total_ns};
      for (const trees::ViewRow& row : rows) {
        kernels[row.path.index] += {row.invocations, row.total_ns};
        for (size_t d = 0; d < profile_.dimensions.size(); ++d) {
          step.labels.push_back({d, std::string(views_[d].label(row.path)), row.total_ns});
        }
      }
      const auto found = typical.find(shown.phase);
      if (found != typical.end() && found->second == i) add_sequence(shown.phase, rows);
      if (is_step(shown.phase)) profile_.steps.push_back(std::move(step));
    }
    std::map<uint32_t, uint32_t> places;  // by path, of names
    for (const auto& [path, amount] : kernels) {
      places.emplace(path, static_cast<uint32_t>(profile_.names.size()));
      NameTime& name = profile_.names.emplace_back(
          NameTime{std::string(modules_.trace.name({path})), OperationKind::kernel, {}, amount});
      for (size_t d = 0; d < profile_.dimensions.size(); ++d) {
        name.labels.emplace_back(views_[d].label({path}));
      }
      profile_.all += amount;
    }
    for (analyze::Sequence& sequence : profile_.sequences) {
      for (uint32_t& name : sequence.names) name = places.at(name);
    }
  }

 private:
  /// Whether the last view has a label other than `none`; as classify::Labelled.
  bool has_some() const {
    const trees::TreeView& view = views_.back();
    for (uint32_t i = 0; i < view.trace().paths.size(); ++i) {
      const trace::PathId path{i};
      if (view.labelled(path) && view.label(path) != sema::none_label) return true;
    }
    return false;
  }
  /// The median step of each phase: its place in the view.
  std::map<std::string, size_t> typical_steps() const {
    std::map<std::string, std::pair<std::vector<size_t>, std::vector<int64_t>>> phases;
    const std::span<const trees::ViewStep> steps = views_.front().steps();
    for (size_t i = 0; i < steps.size(); ++i) {
      auto& [places, total_ns] = phases[steps[i].phase];
      places.push_back(i);
      total_ns.push_back(steps[i].total_ns);
    }
    std::map<std::string, size_t> typical;
    for (const auto& [phase, of] : phases) {
      typical.emplace(phase, of.first[analyze::median_place(of.second)]);
    }
    return typical;
  }

  /// Its names are paths, until all paths are known.
  void add_sequence(const std::string& phase, const std::vector<trees::ViewRow>& rows) {
    if (profile_.sequences.size() == analyze::Sequence::max_phases) return;
    analyze::Sequence sequence{analyze::Sequence::Of::step, phase, {}};
    for (const trees::ViewRow& row : rows) {
      if (sequence.names.size() == analyze::Sequence::max_places) break;
      sequence.names.push_back(row.path.index);
    }
    profile_.sequences.push_back(std::move(sequence));
  }

  /// What is outside steps, or a trace without any, is one tree, too (trees/labels.hpp).
  static bool is_step(std::string_view phase) {
    return phase != "(outside steps)" && phase != "trace";
  }

  const trees::LabelledModules& modules_;
  Profile& profile_;
  std::vector<trees::TreeView> views_;  // by dimension
};

}  // namespace

facts::Computed<Profile> Profile::compute(const analyze::RunSummary& summary,
                                          const facts::Facts& run) {
  Profile profile;
  for (const analyze::DimensionSum& dimension : summary.dimensions) {
    profile.dimensions.push_back(dimension.dimension);
  }
  for (const analyze::NameSum& name : summary.names) {
    NameTime& time = profile.names.emplace_back(
        NameTime{name.name, name.kind, {}, {name.instances, name.total_ns}});
    for (const auto& label : name.labels) time.labels.push_back(label.label);
  }
  for (const analyze::OrderedName& one : summary.ordered_names) {
    profile.ordered.push_back({one.dimension, one.name, one.label, {one.instances, one.total_ns}});
  }
  profile.all = {summary.operations, summary.gpu_total_ns};
  profile.elapsed_ns = summary.gpu_elapsed_ns;
  profile.span_ns = summary.span_ns;
  const auto& steps = run.get<analyze::StepSums>();
  add_steps(steps.steps, profile);
  if (steps.sample) add_sample(*steps.sample, profile);
  profile.sequences = run.get<analyze::Sequences>().all;
  const auto& repeats = run.get<analyze::Repeats>();
  profile.repeats.reserve(repeats.all.size());
  for (const analyze::BlockRepeat& one : repeats.all) {
    profile.repeats.push_back({fmt::format("repeated block of {} kernels", one.period),
                               one.total_ns,
                               {},
                               one.wall_ns,
                               one.busy_ns});
  }
  if (repeats.is_sample()) {
    profile.all_repeats.push_back({profile.repeats.front().phase, repeats.count, repeats.total_ns});
  }
  profile.blocks = run.get<analyze::Layers>().layers;
  return profile;
}

Profile profile_of(std::string run, const match::CompiledRules& rules,
                   const trees::LabelledModules& modules) {
  Profile profile;
  profile.run = std::move(run);
  TreeProfile(rules, modules, profile).add();
  profile.elapsed_ns = profile.all.total_ns;
  return profile;
}

std::vector<NameTime> nodes_of(const match::CompiledRules& rules,
                               const trees::LabelledModules& modules, trees::Level level) {
  trees::ViewOptions options;
  options.level = level;
  const trees::TreeView view(rules, modules, options);
  std::vector<trace::ModuleNode> nodes;
  std::vector<trees::ViewRow> rows;
  std::map<uint32_t, Amount> sums;  // by path
  for (size_t i = 0; i < view.steps().size(); ++i) {
    view.rows(i, nodes, rows);
    for (const trees::ViewRow& row : rows) {
      sums[row.path.index] += {row.invocations, row.total_ns};
    }
  }
  std::vector<NameTime> shown;
  shown.reserve(sums.size());
  for (const auto& [path, amount] : sums) {
    shown.push_back({trees::path_text(modules.trace, {path}, true), {}, {}, amount});
  }
  return shown;
}

namespace {

void add_without_operations(const std::string& dimension, Profile& run) {
  // Behind the others that a name alone has: what they share follows them.
  const size_t place = run.names.empty() ? run.dimensions.size() : run.names[0].labels.size();
  run.dimensions.insert(run.dimensions.begin() + static_cast<ptrdiff_t>(place), dimension);
  for (NameTime& name : run.names) name.labels.emplace_back(sema::none_label);
  for (OrderedTime& one : run.ordered) one.dimension += one.dimension >= place ? 1 : 0;
  const auto add = [&](auto& time) {
    for (LabelTime& one : time.labels) one.dimension += one.dimension >= place ? 1 : 0;
    time.labels.push_back({place, std::string(sema::none_label), time.total_ns});
  };
  std::ranges::for_each(run.steps, add);
  std::ranges::for_each(run.all_steps, add);
}

}  // namespace

void share_dimensions(const sema::Program& program, std::vector<Profile>& a,
                      std::vector<Profile>& b) {
  std::set<std::string_view> about_some;
  for (const sema::Model& model : program.models) {
    for (const sema::Table& table : model.tables) {
      if (!sema::is_about_some(program, table)) continue;
      about_some.insert(program.dimensions.get(table.dimension).name);
    }
  }
  const auto has = [](const Profile& run, std::string_view dimension) {
    return std::ranges::find(run.dimensions, dimension) != run.dimensions.end();
  };
  for (const std::string_view dimension : about_some) {
    const auto has_it = [&](const Profile& run) { return has(run, dimension); };
    if (std::ranges::none_of(a, has_it) && std::ranges::none_of(b, has_it)) continue;
    for (std::vector<Profile>* side : {&a, &b}) {
      for (Profile& run : *side) {
        if (!has_it(run)) add_without_operations(std::string(dimension), run);
      }
    }
  }
}

}  // namespace kr::changes
