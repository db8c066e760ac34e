// The module trees that are shown.
#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.hpp"
#include "cost/rates.hpp"
#include "session/session.hpp"
#include "session/state.hpp"

namespace kr::session {
namespace {

/// A name that no node has folds nothing, which looks like a fold that changes nothing. `compat`
/// has names of its own, which few models have.
std::vector<std::string> unknown_folds(const trace::ModuleTrace& trace,
                                       const trees::ViewOptions& options) {
  std::vector<std::string> folds = options.folds;
  if (folds.empty() || options.compat) return {};
  std::vector<std::string> names;
  for (const trace::OperationName& name : trace.names) {
    std::erase(folds, name.text);
    std::erase(folds, trees::numbered(name.text).stem);
    names.emplace_back(name.text);
  }
  for (std::string& fold : folds) {
    const auto near = nearest(fold, names);
    fold = fmt::format("no node is named `{}`{}", fold,
                       near ? fmt::format("; did you mean `{}`?", *near) : "");
  }
  return folds;
}

}  // namespace

void Session::show_tree(const trees::ViewOptions& options) {
  const trees::LabelledModules& run = modules(0);
  const sema::Program& program = state_->source.rules->program();
  const sema::Model& model = program.models.get(run.choice.model);
  state_->view.emplace(*state_->source.rules, run, options);
  state_->tree = {
      analyze::run_id(program, run.choice.model, run.trace.source, 0),
      program.engines.get(model.engine).name,
      model.name,
      &*state_->view,
      unknown_folds(run.trace, options),
      {state_->gpu, cost::with_measured({state_->gpu, {}}, state_->measured_peaks).measured}};
  state_->source.tree = &*state_->tree;
}

}  // namespace kr::session
