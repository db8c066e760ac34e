#include "modules/labels.hpp"

#include <algorithm>

namespace kr {

MatchedPaths::MatchedPaths(const Program& program, const std::shared_ptr<const Database>& database,
                           const ModuleTrace& trace)
    : program_(&program), trace_(&trace) {
  Scanner scanner(database);
  sets_.reserve(trace.names.size());
  for (const OperationName& name : trace.names) {
    scanner.scan(name.text, sets_.emplace_back(program.atoms.size()));
  }
}

Subject MatchedPaths::subject(PathId path) const {
  const NameId name = trace_->paths.name(path);
  return {.name = &sets_[name.index], .kind = trace_->names.get(name).kind};
}

std::vector<AtomSet> MatchedPaths::above(PathId path) const {
  std::vector<AtomSet> sets;
  for (PathId at = trace_->paths.parent(path); at.valid(); at = trace_->paths.parent(at)) {
    sets.push_back(sets_[trace_->paths.name(at).index]);
  }
  return sets;
}

Choice MatchedPaths::choose(const std::shared_ptr<const Database>& database,
                            const std::vector<int64_t>& leaf_ns,
                            const ChooseOptions& options) const {
  const auto each = [&](const std::function<void(const Subject&, int64_t)>& tell) {
    for (uint32_t i = 0; i < leaf_ns.size(); ++i) {
      if (leaf_ns[i] == 0) continue;
      with_subject({i}, true, [&](const Subject& subject) { tell(subject, leaf_ns[i]); });
    }
  };
  return choose_model(*program_, database, {trace_->model_text, each}, options);
}

std::vector<Given> MatchedPaths::labels(const Table& table) const {
  const TableMatcher matcher(*program_, table);
  std::vector<Given> labels(trace_->paths.size());
  for (uint32_t i = 0; i < labels.size(); ++i) {
    with_subject({i}, matcher.looks_within(), [&](const Subject& subject) {
      labels[i] = given(*program_, matcher.match(subject), trace_->name({i}));
    });
  }
  return labels;
}

std::vector<bool> MatchedPaths::folded(const std::vector<Fold>& folds,
                                       const std::vector<std::string>& names) const {
  std::vector<Condition> conditions;
  conditions.reserve(folds.size());
  for (const Fold& fold : folds) conditions.emplace_back(*program_, fold.expr);
  const bool looks_within = std::any_of(conditions.begin(), conditions.end(),
                                        [](const Condition& one) { return one.looks_within(); });
  std::vector<bool> folded(trace_->paths.size(), false);
  for (uint32_t i = 0; i < folded.size(); ++i) {
    if (std::find(names.begin(), names.end(), trace_->name({i})) != names.end()) {
      folded[i] = true;
      continue;
    }
    with_subject({i}, looks_within, [&](const Subject& subject) {
      folded[i] = std::any_of(conditions.begin(), conditions.end(),
                              [&](const Condition& one) { return one.holds(subject); });
    });
  }
  return folded;
}

}  // namespace kr
