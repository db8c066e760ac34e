#include "trees/labels.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "classify/phases.hpp"
#include "trees/level.hpp"

namespace kr::trees {
namespace {

/// By path.
std::vector<int64_t> leaf_times(const trace::ModuleTrace& trace) {
  std::vector<int64_t> times(trace.paths.size(), 0);
  std::vector<trace::ModuleNode> nodes;
  for (size_t step = 0; step < trace.steps.size(); ++step) {
    trace.expand(step, nodes);
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].end == i + 1) times[nodes[i].path.index] += nodes[i].total_ns;
    }
  }
  return times;
}

constexpr std::string_view path_joint = " > ";

/// Of `step_1 > replay` `step > replay`, and the first number.
std::string without_numbers(std::string_view path, std::optional<int64_t>& first) {
  std::string stems;
  while (true) {
    const size_t end = std::min(path.find(path_joint), path.size());
    const NumberedName name = numbered(path.substr(0, end));
    stems += name.stem;
    if (!first) first = name.number;
    if (end == path.size()) return stems;
    stems += path_joint;
    path.remove_prefix(end + path_joint.size());
  }
}

}  // namespace

MatchedPaths::MatchedPaths(const sema::Program& program,
                           const std::shared_ptr<const match::Database>& database,
                           const trace::ModuleTrace& trace)
    : program_(&program), trace_(&trace) {
  match::Scanner scanner(database);
  sets_.reserve(trace.names.size());
  for (const trace::OperationName& name : trace.names) {
    scanner.scan(name.text, sets_.emplace_back(program.atoms.size()));
  }
  if (trace.classes.empty()) return;
  std::map<std::pair<uint32_t, std::string_view>, uint32_t> known;  // by name and class
  for (uint32_t i = 0; i < trace.paths.size(); ++i) {
    uint32_t set = trace.paths.name({i}).index;
    if (const std::string_view of = trace.class_of({i}); !of.empty()) {
      const auto next = static_cast<uint32_t>(sets_.size());
      const auto [at, added] = known.try_emplace({set, of}, next);
      if (added) {
        match::AtomSet both(program.atoms.size());
        scanner.scan(of, both);
        for (uint32_t atom = 0; atom < program.atoms.size(); ++atom) {
          if (sets_[set].has({atom})) both.add({atom});
        }
        sets_.push_back(std::move(both));
        names_.push_back(trace.paths.name({i}));
      }
      set = at->second;
    }
    set_of_path_.push_back(set);
  }
}

MatchedPaths::Subjects MatchedPaths::subjects(const std::vector<sema::ExprId>& exprs) const {
  const trace::PathTable& paths = trace_->paths;
  Subjects out{
      classify::EnclosingContexts(*program_, exprs), classify::NamesInContext(sets_.size()), {}};
  std::vector<uint32_t> signature_of_name;
  std::vector<uint32_t> context;  // by path; a path comes after its parent
  if (out.contexts.used()) {
    signature_of_name.reserve(sets_.size());
    for (const match::AtomSet& set : sets_)
      signature_of_name.push_back(out.contexts.signature(set));
    context.reserve(paths.size());
  }
  out.of_path.reserve(paths.size());
  for (uint32_t i = 0; i < paths.size(); ++i) {
    uint32_t here = classify::EnclosingContexts::none;
    if (out.contexts.used()) {
      const trace::PathId above = paths.parent({i});
      if (above.valid()) {
        here = out.contexts.add(context[above.index], signature_of_name[set_of(above)]);
      }
      context.push_back(here);
    }
    out.of_path.push_back(out.pairs.number({set_of({i})}, here));
  }
  return out;
}

template <class Call>
void MatchedPaths::each(const Subjects& subjects, const Call& call) const {
  std::vector<match::AtomSet> within;
  for (uint32_t i = 0; i < subjects.pairs.size(); ++i) {
    const auto& [name, context] = subjects.pairs[i];
    subjects.contexts.fill(context, within);
    call(i, match::Subject{.name = &sets_[name.index],
                           .kind = trace_->names.get(name_of(name.index)).kind,
                           .within = within});
  }
}

classify::Choice MatchedPaths::choose(const std::shared_ptr<const match::Database>& database,
                                      const std::vector<int64_t>& leaf_ns,
                                      const classify::ChooseOptions& options) const {
  const Subjects subjects = this->subjects(classify::detection(*program_, options));
  std::vector<int64_t> totals(subjects.pairs.size(), 0);
  for (uint32_t i = 0; i < leaf_ns.size(); ++i) totals[subjects.of_path[i]] += leaf_ns[i];
  const auto call_all = [&](const std::function<void(const match::Subject&, int64_t)>& call) {
    each(subjects, [&](uint32_t number, const match::Subject& subject) {
      if (totals[number] > 0) call(subject, totals[number]);
    });
  };
  return classify::choose_model(*program_, database, {trace_->model_text, call_all}, options);
}

std::vector<classify::LabelResult> MatchedPaths::labels(const sema::Table& table) const {
  const match::TableMatcher matcher(*program_, table);
  std::vector<sema::ExprId> exprs;
  exprs.reserve(table.rules.size());
  for (size_t i = 0; i < table.rules.size(); ++i) exprs.push_back(table.expr(*program_, i));
  const Subjects subjects = this->subjects(exprs);
  std::vector<classify::LabelResult> results;
  results.reserve(subjects.pairs.size());
  each(subjects, [&](uint32_t number, const match::Subject& subject) {
    const std::string_view name =
        trace_->names.get(name_of(subjects.pairs[number].name.index)).text;
    results.push_back(classify::label_result(*program_, matcher.match(subject), name));
  });
  std::vector<classify::LabelResult> labels;
  labels.reserve(subjects.of_path.size());
  for (const uint32_t subject : subjects.of_path) labels.push_back(results[subject]);
  return labels;
}

std::vector<bool> MatchedPaths::folded(const std::vector<sema::Fold>& folds,
                                       const std::vector<std::string>& names, bool stems) const {
  std::vector<match::Condition> conditions;
  std::vector<sema::ExprId> exprs;
  conditions.reserve(folds.size());
  exprs.reserve(folds.size());
  for (const sema::Fold& fold : folds) {
    conditions.emplace_back(*program_, fold.expr);
    exprs.push_back(fold.expr);
  }
  const Subjects subjects = this->subjects(exprs);
  std::vector<bool> matches;
  matches.reserve(subjects.pairs.size());
  each(subjects, [&](uint32_t number, const match::Subject& subject) {
    const std::string_view name =
        trace_->names.get(name_of(subjects.pairs[number].name.index)).text;
    const auto is_named = [&](std::string_view text) {
      return std::find(names.begin(), names.end(), text) != names.end();
    };
    matches.push_back(is_named(name) || (stems && is_named(numbered(name).stem)) ||
                      std::any_of(conditions.begin(), conditions.end(),
                                  [&](const match::Condition& one) { return one.holds(subject); }));
  });
  std::vector<bool> folded(subjects.of_path.size());
  for (size_t i = 0; i < folded.size(); ++i) folded[i] = matches[subjects.of_path[i]];
  return folded;
}

std::unique_ptr<LabelledModules> label_modules(const match::CompiledRules& rules,
                                               const classify::RunSpec& spec,
                                               trace::ModuleTrace trace) {
  auto modules = std::make_unique<LabelledModules>();
  modules->trace = std::move(trace);
  const trace::ModuleTrace& of = modules->trace;
  const MatchedPaths matched(rules.program(), rules.database, of);
  modules->choice =
      matched.choose(rules.database, leaf_times(of),
                     {.engine = spec.engine, .model = spec.model, .rules_given = rules.named});
  classify::PhaseReader reader(rules.program(), rules.database, modules->choice.model);
  for (const trace::ModuleStep& step : of.steps) {
    classify::Phase phase = reader.read(step.key);
    NumberedName name = numbered(step.key);
    if (step.key.find(path_joint) != std::string::npos) {
      name.number.reset();
      name.stem = modules->path_phases.emplace_back(without_numbers(step.key, name.number));
    }
    if (phase.label.empty()) phase.label = name.stem;
    if (!phase.step) phase.step = name.number;
    modules->phases.push_back(phase);
  }
  return modules;
}

}  // namespace kr::trees
