// KR407: engines and models that are detected by the same thing.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "lint/checks.hpp"
#include "prove/formula.hpp"

namespace kr::lint {
namespace {

/// The alternatives of an expression, with their places; one that patterns share at its first.
void alternatives(const Program& program, ExprId id, Span place, std::unordered_set<ExprId>& seen,
                  std::vector<std::pair<ExprId, Span>>& all) {
  if (!seen.insert(id).second) return;
  const Expr& expr = program.exprs.get(id);
  if (expr.op != ExprOp::disjunction) {
    all.emplace_back(id, place.valid() ? place : expr.span);
    return;
  }
  for (size_t i = 0; i < expr.operands.size(); ++i) {
    const Span own = i < expr.places.size() ? expr.places[i] : Span{};
    alternatives(program, expr.operands[i], own, seen, all);
  }
}

/// Those who are detected, and by what; each alternative is known by its formula.
class Detected {
 public:
  Detected(const Context& context, Sink& sink) : context_(context), sink_(sink) {}

  void add(const std::string& who, ExprId detect) {
    if (!detect.valid()) return;
    std::vector<std::pair<ExprId, Span>> all;
    std::unordered_set<ExprId> seen;
    alternatives(context_.program(), detect, {}, seen, all);
    std::set<prove::FormulaId> own;
    for (const auto& [expr, place] : all) {
      const prove::FormulaId formula = formulas_.of(context_.program(), expr);
      if (!own.insert(formula).second) continue;
      const auto [at, added] = known_.emplace(formula, std::pair(who, place));
      if (added) continue;
      const auto& [other, first] = at->second;
      sink_.add(code::detect_overlap, place, context_.sources().text(place), who, other)
          .related(first, "detects `{}`", other)
          .help("if no other alternative decides between the two, neither is detected");
    }
  }

 private:
  const Context& context_;
  Sink& sink_;
  prove::Formulas formulas_;
  std::map<prove::FormulaId, std::pair<std::string, Span>> known_;
};

}  // namespace

void check_detection(const Context& context, Sink& sink) {
  const Program& program = context.program();
  Detected engines(context, sink);
  for (const Engine& engine : program.engines) {
    engines.add(engine.name, engine.detect);
    Detected models(context, sink);
    for (const ModelId id : engine.models) {
      models.add(program.title(id), program.models.get(id).detect);
    }
  }
}

}  // namespace kr::lint
