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
        exprs_(program_.exprs.size()),
        atoms_(program_.atoms.size()) {}

  Program prune() && {
    mark();
    settle_dimensions();
    program_.rules = rules_.moved(program_.rules);
    program_.exprs = exprs_.moved(program_.exprs);
    program_.atoms = atoms_.moved(program_.atoms);
    remap();
    return std::move(program_);
  }

 private:
  void mark() {
    for (const Engine& engine : program_.engines) mark(engine.detect);
    for (const Model& model : program_.models) {
      for (const Table& table : model.tables) {
        used_dimensions_[names_[table.dimension.index]] = table.dimension.index;
        for (const RuleId rule : table.rules) mark(rule);
        if (table.otherwise) mark(*table.otherwise);
      }
      for (const RuleId rule : model.phases) mark(rule);
      for (const Fold& fold : model.folds) mark(fold.expr);
      mark(model.detect);
    }
    for (const NamedPattern& pattern : program_.patterns) mark(pattern.expr);
    for (const SharedTable& table : program_.shared_tables) {
      for (const RuleId rule : table.rules) mark(rule);
      if (table.otherwise) mark(*table.otherwise);
    }
  }
  void mark(RuleId rule) {
    if (rules_.mark(rule)) mark(program_.rules.get(rule).expr);
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
      atoms_.remap(expr.atom);
      for (ExprId& operand : expr.operands) exprs_.remap(operand);
    }
    for (Rule& rule : program_.rules) {
      exprs_.remap(rule.expr);
      remap(rule.dimension);
    }
    for (Engine& engine : program_.engines) exprs_.remap(engine.detect);
    for (Model& model : program_.models) remap(model);
    for (NamedPattern& pattern : program_.patterns) exprs_.remap(pattern.expr);
    for (SharedTable& table : program_.shared_tables) {
      for (RuleId& rule : table.rules) rules_.remap(rule);
      if (table.otherwise) rules_.remap(*table.otherwise);
    }
  }
  void remap(DimensionId& dimension) const {
    if (dimension.valid()) dimension = dimensions_[dimension.index];
  }
  void remap(Model& model) const {
    for (Table& table : model.tables) {
      remap(table.dimension);
      for (RuleId& rule : table.rules) rules_.remap(rule);
      if (table.otherwise) rules_.remap(*table.otherwise);
    }
    std::ranges::sort(model.tables,
                      [](const Table& a, const Table& b) { return a.dimension < b.dimension; });
    for (RuleId& rule : model.phases) rules_.remap(rule);
    for (Fold& fold : model.folds) exprs_.remap(fold.expr);
    exprs_.remap(model.detect);
  }

  Program program_;
  const std::vector<std::string>& names_;
  std::vector<DimensionId> dimensions_;  // new ids by old
  std::map<std::string, uint32_t> used_dimensions_;
  IdMap<RuleTag> rules_;
  IdMap<ExprTag> exprs_;
  IdMap<AtomTag> atoms_;
};

}  // namespace

Program pruned(Program program, const std::vector<std::string>& dimensions) {
  return Pruning(std::move(program), dimensions).prune();
}

}  // namespace kr::sema
