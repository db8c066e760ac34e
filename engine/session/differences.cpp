// What compares: two runs, and two rulesets.
#include <fmt/format.h>

#include <map>
#include <set>
#include <tuple>

#include "analyze/compare_runs.hpp"
#include "base/error.hpp"
#include "base/nearest.hpp"
#include "session/session.hpp"

namespace kr::session {
namespace {

/// The same name in several places is one.
std::vector<compare::TimedName> joined(std::vector<compare::TimedName> names) {
  std::map<std::tuple<std::string, OperationKind, std::string, std::string>, int64_t> totals;
  for (compare::TimedName& one : names) {
    int64_t& total = totals[{one.name, one.kind, one.engine, one.model}];
    if (__builtin_add_overflow(total, one.total_ns, &total)) {
      throw Error("", "the sum of the times of all runs exceeds 64 bits of nanoseconds");
    }
  }
  names.clear();
  for (const auto& [key, total] : totals) {
    const auto& [name, kind, engine, model] = key;
    names.push_back({name, kind, total, engine, model});
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

}  // namespace

bool Session::are_module_trees(const classify::RunSpec& a, const classify::RunSpec& b) const {
  // Standard input is taken to be of the other's kind, or reading it says what it is.
  const bool trees = trace::holds_module_trees(a.path == "-" ? b.path : a.path, open_);
  if (trees != trace::holds_module_trees(b.path == "-" ? a.path : b.path, open_)) {
    throw Error(
        trees ? b.path : a.path,
        fmt::format("contains operations, but {} contains module trees", trees ? a.path : b.path),
        "compare runs of the same kind");
  }
  return trees;
}

const analyze::RunDifference& Session::compare_runs(std::string a, std::string b,
                                                    const std::optional<trees::Level>& level) {
  pair_ = {std::move(a), std::move(b),
           level ? analyze::compare_modules(*source_.rules, modules(0), modules(1), *level)
                 : analyze::compare_runs(source_.runs[0].summary, source_.runs[1].summary)};
  source_.run_difference = &*pair_;
  return pair_->difference;
}

void Session::add_names(const classify::RunSpec& spec,
                        std::vector<compare::TimedName>& names) const {
  std::optional<trace::Trace> trace;
  watched(spec, open_,
          [&](const trace::OpenOptions& as) { trace = trace::open_trace(spec.path, as); });
  const size_t first = names.size();
  for (const trace::OperationName& name : trace->names) {
    names.push_back({std::string(name.text), name.kind, 0, spec.engine, spec.model});
  }
  for (const trace::Operation& operation : trace->operations) {
    int64_t& total = names[first + operation.name.index].total_ns;
    if (__builtin_add_overflow(total, operation.duration_ns, &total)) {
      throw Error(spec.path, "the sum of its times exceeds 64 bits of nanoseconds");
    }
  }
}

std::vector<compare::TimedName> Session::names_met() const {
  std::vector<compare::TimedName> names;
  for (const tables::Run& run : source_.runs) {
    for (const analyze::NameSum& name : run.summary.names) {
      names.push_back({name.name, name.kind, name.total_ns, run.summary.engine, run.summary.model});
    }
  }
  return names;
}

const tables::RulesDifference& Session::compare_rules(const match::CompiledRules& before,
                                                      std::vector<compare::TimedName> names,
                                                      std::span<const classify::RunSpec> specs) {
  const match::CompiledRules& after = *source_.rules;
  for (const classify::RunSpec& spec : specs) {
    check_engine(spec, before.program(), after.program());
    add_names(spec, names);
  }
  compare::Comparison comparison = compare::compare_programs(before.program(), after.program());
  auto moves = compare::count_moves(comparison, {&before.program(), before.database},
                                    {&after.program(), after.database}, joined(std::move(names)));
  rules_difference_ = {std::move(comparison), std::move(moves)};
  source_.rules_difference = &*rules_difference_;
  return *rules_difference_;
}

}  // namespace kr::session
