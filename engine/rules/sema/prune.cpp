#include <algorithm>
#include <map>

#include "sema/resolve.hpp"

namespace kr::sema {
namespace {

/// stage, substage, others by name, kind.
int rank(const std::string& dimension) {
  return dimension == "stage" ? 0 : dimension == "substage" ? 1 : dimension == "kind" ? 3 : 2;
}

/// The ids of a store that are kept, and their new ids.
template <class Tag>
class IdMap {
 public:
  explicit IdMap(size_t size) : ids_(size) {}
  bool mark(Id<Tag> id) {
    if (!id.valid() || ids_[id.index].valid()) return false;
    ids_[id.index] = {0};
    return true;
  }
  template <class T>
  Store<T, Tag> moved(Store<T, Tag>& from) {
    Store<T, Tag> to;
    for (uint32_t i = 0; i < ids_.size(); ++i) {
      if (ids_[i].valid()) ids_[i] = to.add(std::move(from.get({i})));
    }
    return to;
  }
  void remap(Id<Tag>& id) const {
    if (id.valid()) id = ids_[id.index];
  }

 private:
  std::vector<Id<Tag>> ids_;
};

class Pruning {
 public:
  Pruning(Program program, const std::vector<std::string>& dimensions)
      : program_(std::move(program)),
        names_(dimensions),
        dimensions_(dimensions.size()),
        rules_(program_.rules.size()),
        scopes_(program_.order_scopes.size()),
        costs_(program_.costs.size()),
        exprs_(program_.exprs.size()),
        atoms_(program_.atoms.size()) {}

  Program prune() && {
    each_entry([this](auto id) { mark(id); });
    atoms_.mark(program_.marks.beside);
    settle_dimensions();
    program_.rules = rules_.moved(program_.rules);
    program_.order_scopes = scopes_.moved(program_.order_scopes);
    program_.costs = costs_.moved(program_.costs);
    program_.exprs = exprs_.moved(program_.exprs);
    program_.atoms = atoms_.moved(program_.atoms);
    remap();
    remap_marks();
    return std::move(program_);
  }

 private:
  /// Calls `visit` for each id by which the Program is entered.
  template <class Visit>
  void each_entry(const Visit& visit) {
    const auto each_rule = [&](std::vector<RuleId>& rules, std::optional<RuleId>& otherwise) {
      for (RuleId& rule : rules) visit(rule);
      if (otherwise) visit(*otherwise);
    };
    for (Engine& engine : program_.engines) visit(engine.detect);
    for (Model& model : program_.models) {
      for (Table& table : model.tables) {
        visit(table.dimension);
        if (table.from.valid()) visit(table.from);
        each_rule(table.rules, table.otherwise);
        for (Table::Refined& one : table.refined) {
          visit(one.rule);
          visit(one.where);
          visit(one.expr);
        }
      }
      for (OrderTable& table : model.order_tables) each_order(table, visit);
      for (RuleId& rule : model.phases) visit(rule);
      for (Fold& fold : model.folds) visit(fold.expr);
      visit(model.detect);
      for (CostId& cost : model.costs) visit(cost);
    }
    for (CostId& cost : program_.root_costs) visit(cost);
    for (NamedPattern& pattern : program_.patterns) visit(pattern.expr);
    for (SharedTable& table : program_.shared_tables) each_rule(table.rules, table.otherwise);
    for (SharedOrderTable& table : program_.shared_order_tables) each_order(table, visit);
  }
  template <class Visit>
  static void each_order(OrderTable& table, const Visit& visit) {
    visit(table.dimension);
    visit(table.over);
    for (RuleId& rule : table.rules) visit(rule);
    if (table.otherwise) visit(*table.otherwise);
    for (OrderScopeId& scope : table.scopes) visit(scope);
  }

  void mark(DimensionId dimension) { used_dimensions_[names_[dimension.index]] = dimension.index; }
  void mark(RuleId rule) {
    if (!rules_.mark(rule)) return;
    const Rule& made = program_.rules.get(rule);
    mark(made.expr);
    mark(made.scope);
    if (made.image_of.valid()) mark(made.image_of);
    if (!made.chain) return;
    for (const ChainStep& step : made.chain->steps) mark(step.expr);
  }
  void mark(OrderScopeId id) {
    if (!scopes_.mark(id)) return;
    mark(program_.order_scopes.get(id).ignore);
    mark(program_.order_scopes.get(id).continues);
  }
  void mark(CostId cost) {
    if (costs_.mark(cost)) mark(program_.costs.get(cost).expr);
  }
  void mark(ExprId start) {
    if (!exprs_.mark(start)) return;
    std::vector<ExprId> rest{start};
    while (!rest.empty()) {
      const Expr& expr = program_.exprs.get(rest.back());
      rest.pop_back();
      atoms_.mark(expr.atom);
      for (const ExprId operand : expr.operands) {
        if (exprs_.mark(operand)) rest.push_back(operand);
      }
    }
  }

  void settle_dimensions() {
    // Every model has `kind`; a Program without models has the dimension too.
    const auto kind = std::ranges::find(names_, "kind");
    used_dimensions_["kind"] = static_cast<uint32_t>(kind - names_.begin());
    std::vector<std::pair<std::string, uint32_t>> used(used_dimensions_.begin(),
                                                       used_dimensions_.end());
    std::ranges::stable_sort(
        used, [](const auto& a, const auto& b) { return rank(a.first) < rank(b.first); });
    for (const auto& [name, index] : used) {
      dimensions_[index] = program_.dimensions.add({name});
    }
  }

  void remap() {
    for (Expr& expr : program_.exprs) {
      remap(expr.atom);
      for (ExprId& operand : expr.operands) remap(operand);
    }
    for (Rule& rule : program_.rules) {
      remap(rule.expr);
      remap(rule.dimension);
      remap(rule.scope);
      remap(rule.image_of);
      if (!rule.chain) continue;
      for (ChainStep& step : rule.chain->steps) remap(step.expr);
    }
    for (OrderScope& scope : program_.order_scopes) {
      remap(scope.ignore);
      remap(scope.continues);
    }
    for (CostClause& clause : program_.costs) remap(clause.expr);
    each_entry([this](auto& id) { remap(id); });
    for (Model& model : program_.models) std::ranges::sort(model.tables, {}, &Table::dimension);
  }
  void remap_marks() {
    ContextMarks& marks = program_.marks;
    for (AtomId* mark : {&marks.beside, &marks.op, &marks.innermost}) remap(*mark);
    for (ContextMarks::Arguments& one : marks.arguments) remap(one.mark);
    std::erase_if(marks.arguments, [](const auto& one) { return !one.mark.valid(); });
    for (auto& [label, mark] : marks.phases) remap(mark);
    std::erase_if(marks.phases, [](const auto& one) { return !one.second.valid(); });
  }
  void remap(AtomId& id) const { atoms_.remap(id); }
  void remap(ExprId& id) const { exprs_.remap(id); }
  void remap(RuleId& id) const { rules_.remap(id); }
  void remap(OrderScopeId& id) const { scopes_.remap(id); }
  void remap(CostId& id) const { costs_.remap(id); }
  void remap(DimensionId& id) const {
    if (id.valid()) id = dimensions_[id.index];
  }

  Program program_;
  const std::vector<std::string>& names_;
  std::vector<DimensionId> dimensions_;  // new ids by old
  std::map<std::string, uint32_t> used_dimensions_;
  IdMap<RuleTag> rules_;
  IdMap<OrderScopeTag> scopes_;
  IdMap<CostTag> costs_;
  IdMap<ExprTag> exprs_;
  IdMap<AtomTag> atoms_;
};

}  // namespace

Program pruned(Program program, const std::vector<std::string>& dimensions) {
  return Pruning(std::move(program), dimensions).prune();
}

}  // namespace kr::sema
