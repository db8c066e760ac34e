#include "trees/labels.hpp"

#include <algorithm>

namespace kr::trees {

MatchedPaths::MatchedPaths(const sema::Program& program,
                           const std::shared_ptr<const match::Database>& database,
                           const trace::ModuleTrace& trace)
    : program_(&program), trace_(&trace) {
  match::Scanner scanner(database);
  sets_.reserve(trace.names.size());
  for (const trace::OperationName& name : trace.names) {
    scanner.scan(name.text, sets_.emplace_back(program.atoms.size()));
  }
}

MatchedPaths::Subjects MatchedPaths::subjects(const std::vector<sema::ExprId>& asked) const {
  const trace::PathTable& paths = trace_->paths;
  Subjects out{
      classify::EnclosingContexts(*program_, asked), classify::PlacedNames(sets_.size()), {}};
  std::vector<uint32_t> look_of_name;
  std::vector<uint32_t> around;  // by path; a path stands behind the one above it
  if (out.around.asked()) {
    look_of_name.reserve(sets_.size());
    for (const match::AtomSet& set : sets_) look_of_name.push_back(out.around.look(set));
    around.reserve(paths.size());
  }
  out.of_path.reserve(paths.size());
  for (uint32_t i = 0; i < paths.size(); ++i) {
    uint32_t here = classify::EnclosingContexts::nothing;
    if (out.around.asked()) {
      const trace::PathId above = paths.parent({i});
      if (above.valid()) {
        here = out.around.add(around[above.index], look_of_name[paths.name(above).index]);
      }
      around.push_back(here);
    }
    out.of_path.push_back(out.pairs.number(paths.name({i}), here));
  }
  return out;
}

template <class Tell>
void MatchedPaths::each(const Subjects& subjects, const Tell& tell) const {
  std::vector<match::AtomSet> within;
  for (uint32_t i = 0; i < subjects.pairs.size(); ++i) {
    const auto& [name, around] = subjects.pairs[i];
    subjects.around.fill(around, within);
    tell(i,
         match::Subject{
             .name = &sets_[name.index], .kind = trace_->names.get(name).kind, .within = within});
  }
}

classify::Choice MatchedPaths::choose(const std::shared_ptr<const match::Database>& database,
                                      const std::vector<int64_t>& leaf_ns,
                                      const classify::ChooseOptions& options) const {
  const Subjects subjects = this->subjects(classify::detection(*program_, options));
  std::vector<int64_t> totals(subjects.pairs.size(), 0);
  for (uint32_t i = 0; i < leaf_ns.size(); ++i) totals[subjects.of_path[i]] += leaf_ns[i];
  const auto tell_all = [&](const std::function<void(const match::Subject&, int64_t)>& tell) {
    each(subjects, [&](uint32_t number, const match::Subject& subject) {
      if (totals[number] > 0) tell(subject, totals[number]);
    });
  };
  return classify::choose_model(*program_, database, {trace_->model_text, tell_all}, options);
}

std::vector<classify::LabelResult> MatchedPaths::labels(const sema::Table& table) const {
  const match::TableMatcher matcher(*program_, table);
  std::vector<sema::ExprId> asked;
  asked.reserve(table.rules.size());
  for (const sema::RuleId rule : table.rules) asked.push_back(program_->rules.get(rule).expr);
  const Subjects subjects = this->subjects(asked);
  std::vector<classify::LabelResult> given_to;
  given_to.reserve(subjects.pairs.size());
  each(subjects, [&](uint32_t number, const match::Subject& subject) {
    const std::string_view name = trace_->names.get(subjects.pairs[number].name).text;
    given_to.push_back(classify::label_result(*program_, matcher.match(subject), name));
  });
  std::vector<classify::LabelResult> labels;
  labels.reserve(subjects.of_path.size());
  for (const uint32_t subject : subjects.of_path) labels.push_back(given_to[subject]);
  return labels;
}

std::vector<bool> MatchedPaths::folded(const std::vector<sema::Fold>& folds,
                                       const std::vector<std::string>& names) const {
  std::vector<match::Condition> conditions;
  std::vector<sema::ExprId> asked;
  conditions.reserve(folds.size());
  asked.reserve(folds.size());
  for (const sema::Fold& fold : folds) {
    conditions.emplace_back(*program_, fold.expr);
    asked.push_back(fold.expr);
  }
  const Subjects subjects = this->subjects(asked);
  std::vector<bool> holds;
  holds.reserve(subjects.pairs.size());
  each(subjects, [&](uint32_t number, const match::Subject& subject) {
    const std::string_view name = trace_->names.get(subjects.pairs[number].name).text;
    holds.push_back(std::find(names.begin(), names.end(), name) != names.end() ||
                    std::any_of(conditions.begin(), conditions.end(),
                                [&](const match::Condition& one) { return one.holds(subject); }));
  });
  std::vector<bool> folded(subjects.of_path.size());
  for (size_t i = 0; i < folded.size(); ++i) folded[i] = holds[subjects.of_path[i]];
  return folded;
}

}  // namespace kr::trees
