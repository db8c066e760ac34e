// KR419: engines that nothing detects. KR407: engines and models with the same `detect`
// alternative.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "lint/checks.hpp"
#include "prove/formula.hpp"

namespace kr::lint {
namespace {

/// The alternatives of an expression with their places; a shared one only at its first place.
void alternatives(const sema::Program& program, sema::ExprId id, source::Span place,
                  std::unordered_set<sema::ExprId>& seen,
                  std::vector<std::pair<sema::ExprId, source::Span>>& all) {
  if (!seen.insert(id).second) return;
  const sema::Expr& expr = program.exprs.get(id);
  if (expr.op != sema::ExprOp::disjunction) {
    all.emplace_back(id, place.valid() ? place : expr.span);
    return;
  }
  for (size_t i = 0; i < expr.operands.size(); ++i) {
    const source::Span own = i < expr.places.size() ? expr.places[i] : source::Span{};
    alternatives(program, expr.operands[i], own, seen, all);
  }
}

/// The owners of `detect` alternatives; each alternative is identified by its formula.
class Detected {
 public:
  Detected(const Context& context, diag::Sink& sink) : context_(context), sink_(sink) {}

  void add(const std::string& who, sema::ExprId detect) {
    if (!detect.valid()) return;
    std::vector<std::pair<sema::ExprId, source::Span>> all;
    std::unordered_set<sema::ExprId> seen;
    alternatives(context_.program(), detect, {}, seen, all);
    std::set<prove::FormulaId> own;
    for (const auto& [expr, place] : all) {
      const prove::FormulaId formula = formulas_.of(context_.program(), expr);
      if (!own.insert(formula).second) continue;
      const auto [at, added] = known_.emplace(formula, std::pair(who, place));
      if (added) continue;
      const auto& [other, first] = at->second;
      sink_.add(diag::code::detect_overlap, place, context_.sources().text(place), who, other)
          .related(first, "detects `{}`", other)
          .help("if no other alternative decides between the two, neither is detected");
    }
  }

 private:
  const Context& context_;
  diag::Sink& sink_;
  prove::Formulas formulas_;
  std::map<prove::FormulaId, std::pair<std::string, source::Span>> known_;
};

}  // namespace

void check_detection(const Context& context, diag::Sink& sink) {
  const sema::Program& program = context.program();
  Detected engines(context, sink);
  for (const sema::Engine& engine : program.engines) {
    engines.add(engine.name, engine.detect);
    const bool by_model = std::ranges::any_of(
        engine.models, [&](sema::ModelId id) { return program.models.get(id).detect.valid(); });
    if (!engine.detect.valid() && !by_model) {
      sink.add(diag::code::engine_without_detect, engine.span, engine.name)
          .help("add `detect: \"…\"` with a text that only its kernels, modules or ranges have");
    }
    Detected models(context, sink);
    for (const sema::ModelId id : engine.models) {
      models.add(program.title(id), program.models.get(id).detect);
    }
  }
}

}  // namespace kr::lint
