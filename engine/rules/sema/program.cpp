#include "sema/program.hpp"

#include <algorithm>

namespace kr::sema {
namespace {

template <class Store, class Id>
std::optional<Id> named(const Store& store, std::string_view name) {
  uint32_t index = 0;
  for (const auto& one : store) {
    if (one.name == name) return Id{index};
    ++index;
  }
  return std::nullopt;
}

}  // namespace

const Label* Table::find(std::string_view label) const {
  const auto at = std::ranges::find(vocabulary, label, &Label::name);
  return at == vocabulary.end() ? nullptr : &*at;
}

ExprId Table::expr(const Program& program, size_t place) const {
  return place < refined.size() ? refined[place].expr : program.rules.get(rules[place]).expr;
}

const Table* Model::table(DimensionId dimension) const {
  const auto at = std::ranges::find(tables, dimension, &Table::dimension);
  return at == tables.end() ? nullptr : &*at;
}

const OrderTable* Model::order_table(DimensionId dimension) const {
  const auto at = std::ranges::find(order_tables, dimension, &OrderTable::dimension);
  return at == order_tables.end() ? nullptr : &*at;
}

const Table* Model::any_table(DimensionId dimension) const {
  const Table* by_name = table(dimension);
  return by_name != nullptr ? by_name : order_table(dimension);
}

std::optional<DimensionId> Program::dimension(std::string_view name) const {
  return named<decltype(dimensions), DimensionId>(dimensions, name);
}

std::optional<EngineId> Program::engine(std::string_view name) const {
  return named<decltype(engines), EngineId>(engines, name);
}

std::optional<ModelId> Program::model(EngineId engine, std::string_view name) const {
  for (const ModelId id : engines.get(engine).models) {
    if (models.get(id).name == name) return id;
  }
  return std::nullopt;
}

DimensionId Program::kind() const {
  const auto id = dimension("kind");
  KR_CHECK(id.has_value());
  return *id;
}

std::string Program::title(ModelId model) const {
  const Model& one = models.get(model);
  return engines.get(one.engine).name + "/" + one.name;
}

bool has_labels(const Program& program, ExprId expr) {
  bool any = false;
  each_part(program, {expr}, [&](const Expr& part) {
    any = any || part.op == ExprOp::label;
    return !any;
  });
  return any;
}

std::vector<ExprId> expressions_of(const Program& program, const OrderTable& table) {
  std::vector<ExprId> exprs;
  const auto add = [&exprs](ExprId expr) {
    if (expr.valid()) exprs.push_back(expr);
  };
  for (const RuleId id : table.rules) {
    const Rule& rule = program.rules.get(id);
    add(rule.expr);
    if (!rule.chain) continue;
    for (const ChainStep& step : rule.chain->steps) add(step.expr);
  }
  const auto add_scope = [&](OrderScopeId id) {
    if (!id.valid()) return;
    add(program.order_scopes.get(id).ignore);
    add(program.order_scopes.get(id).continues);
  };
  for (const RuleId id : table.rules) add_scope(program.rules.get(id).scope);
  for (const OrderScopeId id : table.scopes) add_scope(id);
  return exprs;
}

}  // namespace kr::sema
