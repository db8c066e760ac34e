// What compares: two runs, and two rulesets.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "base/join.hpp"
#include "base/nearest.hpp"
#include "changes/profile.hpp"
#include "saved/codec.hpp"
#include "session/session.hpp"
#include "session/state.hpp"
#include "tables/difference.hpp"

namespace kr::session {
namespace {

tables::RulesDifference::Rule deciding(const match::CompiledRules& rules,
                                       compare::Decision decision) {
  if (!decision) return {};
  return {classify::rule_place(rules, *decision), classify::rule_on_one_line(rules, *decision)};
}

tables::RulesDifference::Said said(const match::CompiledRules& rules,
                                   const compare::SettingChange::Side& side) {
  if (side.empty()) return {};
  return {side.span.valid() ? rules.sources().place(side.span) : std::string(),
          side.text.empty() ? classify::on_one_line(rules, side.span) : side.text};
}

/// Each name with its change once, whatever the number of models.
std::vector<tables::RulesDifference::Name> names_that_change(const match::CompiledRules& before,
                                                             const match::CompiledRules& after,
                                                             const compare::RuleChanges& changes) {
  std::vector<tables::RulesDifference::Name> names;
  using Key = std::tuple<std::string, uint32_t, compare::Decision, compare::Decision>;
  std::map<Key, size_t> places;
  for (const compare::CountedMove& move : changes.moves) {
    const compare::Change& change = move.change;
    for (size_t i = 0; i < move.moved.size(); ++i) {
      const auto& [old_rule, new_rule] = move.deciding[i];
      const auto [at, added] =
          places.try_emplace({change.dimension, move.moved[i], old_rule, new_rule}, names.size());
      if (added) {
        names.push_back({change.dimension,
                         change.move.from,
                         change.move.to,
                         move.moved[i],
                         deciding(before, old_rule),
                         deciding(after, new_rule),
                         {}});
      }
      names[at->second].models.push_back(change.engine + '/' + change.model);
    }
  }
  return names;
}

/// A run whose engine or model neither side has would count nothing.
void check_engine(const classify::RunSpec& run, const sema::Program& before,
                  const sema::Program& after) {
  if (run.engine.empty()) return;
  std::set<std::string> engines;
  std::set<std::string> models;
  for (const sema::Program* program : {&before, &after}) {
    for (const sema::Engine& engine : program->engines) {
      engines.insert(engine.name);
      if (engine.name != run.engine) continue;
      for (const sema::ModelId id : engine.models) models.insert(program->models.get(id).name);
    }
  }
  const auto check = [&](const std::set<std::string>& names, const std::string& name,
                         const char* what) {
    if (name.empty() || names.contains(name)) return;
    throw Error(run.path, fmt::format("neither ruleset has {} `{}`", what, name),
                near_or_all(name, std::vector<std::string>(names.begin(), names.end())));
  };
  check(engines, run.engine, "engine");
  check(models, run.model, "model");
}

/// The labels that rules of a dimension can give. Throws Error for an unknown dimension.
std::vector<std::string> labels_of(const sema::Program& program, const std::string& dimension) {
  std::set<std::string> labels{std::string(sema::reserved::unclassified)};
  const sema::DimensionId id = classify::named_dimension(program, dimension);
  for (const sema::Engine& engine : program.engines) {
    for (const sema::ModelId model : engine.models) {
      const sema::Table* table = program.models.get(model).any_table(id);
      if (table == nullptr) continue;
      for (const sema::RuleId rule : table->rules) labels.insert(program.rules.get(rule).label);
      if (table->otherwise) labels.insert(program.rules.get(*table->otherwise).label);
    }
  }
  return {labels.begin(), labels.end()};
}

/// Why the times of a run cannot be judged; empty: they can.
std::string lost_kernels(const analyze::RunSummary& summary) {
  for (const analyze::Finding& one : summary.findings) {
    // The last launches have no kernels where recording ends.
    const bool some = one.count.value_or(0) > summary.operations / 100;
    if (one.code != "launches-without-kernels" || !some) continue;
    return fmt::format("{} launches have no kernel in the trace: the profiler lost some",
                       *one.count);
  }
  return {};
}

/// What a condition says of each label, phase or sum that it is about.
class Judge {
 public:
  Judge(const changes::Gate& gate, const sema::Program& program,
        const changes::Comparison& comparison, std::vector<tables::GateResult>& out)
      : gate_(gate), program_(program), comparison_(comparison), out_(out) {}

  void run() {
    using Subject = changes::Gate::Subject;
    switch (gate_.subject) {
      case Subject::total:
        return has_steps() ? phases(&changes::PhaseChange::wall) : span();
      case Subject::step:
        return phases(&changes::PhaseChange::wall);
      case Subject::idle:
        return phases(&changes::PhaseChange::idle);
      case Subject::busy:
        return phases(&changes::PhaseChange::busy);
      case Subject::span:
        return span();
      case Subject::work:
        check_unit(comparison_.unit.word());
        return add("", comparison_.total.measured());
      case Subject::label:
        check_unit(comparison_.unit.word());
        return labels();
    }
  }

 private:
  void add(const std::string& of, const changes::Measured& measured) {
    const bool judged = comparison_.not_judged.empty();
    out_.push_back({gate_, of, measured,
                    judged ? changes::judge(gate_, measured) : changes::Outcome::undecided});
  }

  [[noreturn]] void refuse(const std::string& why, const std::string& hint) const {
    throw Error("", fmt::format("the condition `{}` {}", gate_.text, why), hint);
  }

  /// A limit in time is of what the runs are compared by.
  void check_unit(std::string_view word) const {
    if (gate_.relative || gate_.per == word) return;
    refuse(fmt::format("has a limit per {}, but this is compared per {}", gate_.per, word),
           fmt::format("write a limit in percent, or per {}", word));
  }

  bool has_steps() const {
    return std::ranges::any_of(
        comparison_.phases, [](const changes::PhaseChange& one) { return one.wall.has_value(); });
  }

  void phases(std::optional<changes::StepChange> changes::PhaseChange::*what) {
    const bool repeats = !comparison_.phases.empty() && comparison_.phases[0].of_repeats;
    check_unit(repeats ? "block" : "step");
    bool found = false;
    std::vector<std::string> names;
    for (const changes::PhaseChange& one : comparison_.phases) {
      if (!(one.*what)) continue;
      names.push_back(one.phase);
      if (!gate_.phase.empty() && gate_.phase != one.phase) continue;
      found = true;
      add(one.phase, (one.*what)->measured());
    }
    if (found) return;
    if (names.empty()) {
      refuse(
          "is about steps, but the runs have none with a wall time in common, and no repeated "
          "block",
          "write a condition of `span`, `work` or a label");
    }
    refuse("names a phase that the runs do not have in common", near_or_all(gate_.phase, names));
  }

  /// For equal numbers of units.
  void span() {
    check_unit("run");
    const changes::Unit& unit = comparison_.unit;
    const auto a_ns = static_cast<double>(comparison_.a_span_ns);
    const double factor = static_cast<double>(unit.a) / static_cast<double>(unit.b);
    add("", {a_ns, static_cast<double>(comparison_.b_span_ns) * factor - a_ns, {}});
  }

  void labels() {
    bool found = false;
    std::vector<std::string> known = labels_of(program_, gate_.dimension);
    for (const changes::LabelChange& one : comparison_.labels) {
      if (one.dimension != gate_.dimension) continue;
      known.push_back(one.label);
      if (gate_.label != "*" && gate_.label != one.label) continue;
      found = true;
      add(one.label, one.measured());
    }
    if (found || gate_.label == "*") return;
    if (std::ranges::find(known, gate_.label) == known.end()) {
      refuse("names an unknown label", near_or_all(gate_.label, known));
    }
    // Neither run has operations with the label: its time is 0 and stays 0.
    add(gate_.label, {});
  }

  const changes::Gate& gate_;
  const sema::Program& program_;
  const changes::Comparison& comparison_;
  std::vector<tables::GateResult>& out_;
};

}  // namespace

bool Session::are_module_trees(const classify::RunSpec& a, const classify::RunSpec& b) const {
  // Standard input is taken to be of the other's kind, or reading it says what it is.
  const auto has_trees = [&](const std::string& path, const std::string& other) {
    const std::string& known = path == "-" ? other : path;
    return saved::names_saved_run(known) ? saved::Reader(known).has_module_trees()
                                         : trace::contains_module_trees(known, state_->open);
  };
  const bool trees = has_trees(a.path, b.path);
  if (trees != has_trees(b.path, a.path)) {
    throw Error(
        trees ? b.path : a.path,
        fmt::format("contains operations, but {} contains module trees", trees ? a.path : b.path),
        "compare runs of the same kind, or module trees at a level (--level)");
  }
  return trees;
}

const tables::RunPair& Session::compare_runs(const RunComparison& options) {
  size_t file = 0, next = 0;  // of those read
  const auto sums_of = [&](const std::string& path, size_t run) {
    if (options.level) {
      const match::CompiledRules& rules = *state_->source.rules;
      const auto saved = state_->saved_trees.find(run);
      if (saved == state_->saved_trees.end()) {
        changes::Profile profile = changes::profile_of(path, rules, modules(run));
        profile.nodes = changes::nodes_of(rules, modules(run), *options.level);
        return profile;
      }
      changes::Profile profile = saved->second->profile;
      profile.run = state_->source.other_runs[run].source;
      profile.nodes = saved->second->nodes(*options.level, profile.run);
      return profile;
    }
    const tables::Run& read = state_->source.runs[run];
    changes::Profile profile = read.facts.get<changes::Profile>();
    profile.run = saved::names_saved_run(path) ? read.summary.source : path;
    return profile;
  };
  const auto profiles_of = [&](const std::vector<std::string>& paths) {
    std::vector<changes::Profile> profiles;
    profiles.reserve(paths.size());
    for (const std::string& path : paths) {
      for (const size_t end = next + state_->runs_of_file[file++]; next < end; ++next) {
        profiles.push_back(sums_of(path, next));
        if (next < state_->source.runs.size() && !options.level) {
          profiles.back().incomplete = lost_kernels(state_->source.runs[next].summary);
        }
      }
    }
    return profiles;
  };
  std::vector<changes::Profile> a = profiles_of(options.a), b = profiles_of(options.b);
  changes::share_dimensions(state_->source.rules->program(), a, b);
  state_->pair = {
      join(options.a, ", "), join(options.b, ", "), changes::compare(a, b, options.by), {}, {}};
  state_->pair->trend = changes::trend_of(a, b, state_->pair->comparison);
  for (const changes::Gate& gate : options.gates) {
    Judge(gate, state_->source.rules->program(), state_->pair->comparison, state_->pair->gates)
        .run();
  }
  state_->source.run_difference = &*state_->pair;
  return *state_->pair;
}

void Session::add_names(const classify::RunSpec& spec,
                        std::vector<compare::SeenName>& names) const {
  if (!state_->open.window.empty()) {
    throw Error(spec.path, "a comparison of rules is about all names of a run",
                "leave out the window");
  }
  std::vector<trace::Trace> traces;
  watched(spec, state_->open,
          [&](const trace::OpenOptions& as) { traces = trace::open_traces(spec.path, as); });
  for (const trace::Trace& trace : traces) {
    const size_t first = names.size();
    for (const trace::OperationName& name : trace.names) {
      names.push_back({std::string(name.text),
                       name.kind,
                       0,
                       spec.engine,
                       spec.model,
                       {},
                       compare::SeenIn::run});
    }
    for (const trace::Operation& operation : trace.operations) {
      int64_t& total = names[first + operation.name.index].total_ns;
      if (__builtin_add_overflow(total, operation.duration_ns, &total)) {
        throw Error(spec.path, "the sum of its times exceeds 64 bits of nanoseconds");
      }
    }
  }
}

std::vector<compare::SeenName> Session::names_met() const {
  std::vector<compare::SeenName> names;
  for (const tables::Run& run : state_->source.runs) {
    for (const analyze::NameSum& name : run.summary.names) {
      names.push_back({name.name,
                       name.kind,
                       name.total_ns,
                       run.summary.engine,
                       run.summary.model,
                       {},
                       compare::SeenIn::run});
    }
  }
  return names;
}

const tables::RulesDifference& Session::compare_rules(
    const match::CompiledRules& before, std::vector<compare::SeenName> names,
    std::span<const classify::RunSpec> specs,
    const std::pair<compare::Chosen, compare::Chosen>& chosen) {
  const match::CompiledRules& after = *state_->source.rules;
  for (const classify::RunSpec& spec : specs) {
    check_engine(spec, before.program(), after.program());
    add_names(spec, names);
  }
  tables::RulesDifference& made = state_->rules_difference.emplace();
  made.changes = compare::compare_rules({&before.program(), before.database},
                                        {&after.program(), after.database}, std::move(names),
                                        chosen.first, chosen.second);
  made.rules.reserve(made.changes.moves.size());
  for (const compare::CountedMove& one : made.changes.moves) {
    made.rules.emplace_back(deciding(before, one.before), deciding(after, one.after));
  }
  made.names = names_that_change(before, after, made.changes);
  for (const compare::SettingChange& one : made.changes.settings) {
    made.said.emplace_back(said(before, one.before), said(after, one.after));
  }
  state_->source.rules_difference = &*state_->rules_difference;
  return *state_->rules_difference;
}

}  // namespace kr::session
