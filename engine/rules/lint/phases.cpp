// KR420: `phase X` where no engine that has the rule says which steps are X.
#include <algorithm>
#include <map>
#include <set>

#include "base/nearest.hpp"
#include "lint/checks.hpp"

namespace kr::lint {
namespace {

struct Use {
  std::string phase;
  std::string engine;              // the first that has the rule
  std::vector<std::string> known;  // its phases
};

std::vector<std::string> phases_of(const sema::Program& program, const sema::Model& model) {
  std::set<std::string> labels;
  for (const sema::RuleId id : model.phases) labels.insert(program.rules.get(id).label);
  return {labels.begin(), labels.end()};
}

std::vector<sema::ExprId> expressions_of(const sema::Program& program, const sema::Model& model) {
  std::vector<sema::ExprId> all;
  for (const sema::Table& table : model.tables) {
    for (size_t i = 0; i < table.rules.size(); ++i) all.push_back(table.expr(program, i));
  }
  return all;
}

}  // namespace

void check_phases(const Context& context, diag::Sink& sink) {
  const sema::Program& program = context.program();
  std::map<sema::AtomId, std::string> names;
  for (const auto& [label, atom] : program.marks.phases) names.emplace(atom, label);
  if (names.empty()) return;
  std::map<std::pair<uint32_t, uint32_t>, std::pair<source::Span, Use>> never;  // by place
  std::set<std::pair<uint32_t, uint32_t>> held;
  for (const sema::Model& model : program.models) {
    const std::vector<std::string> known = phases_of(program, model);
    sema::each_part(program, expressions_of(program, model), [&](const sema::Expr& expr) {
      if (expr.op != sema::ExprOp::phase || !context.is_root(expr.span.file)) return true;
      const std::string& phase = names.at(expr.atom);
      const std::pair place(expr.span.file.index, expr.span.begin);
      if (std::ranges::find(known, phase) != known.end()) {
        held.insert(place);
      } else {
        const std::string& engine = program.engines.get(model.engine).name;
        never.emplace(place, std::pair(expr.span, Use{phase, engine, known}));
      }
      return true;
    });
  }
  for (const auto& [place, found] : never) {
    if (held.contains(place)) continue;
    const auto& [span, use] = found;
    diag::Diagnostic& added = sink.add(diag::code::unknown_phase, span, use.phase, use.engine);
    if (const auto meant = nearest(use.phase, use.known)) {
      added.help("did you mean `{}`?", *meant);
    } else {
      added.help("say which steps are: `phases {{ {}: EXPRESSION … }}`", use.phase);
    }
  }
}

}  // namespace kr::lint
