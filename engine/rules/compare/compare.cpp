#include "compare/compare.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "compare/order_changes.hpp"
#include "compare/side.hpp"

namespace kr::compare {
namespace {

using prove::FormulaId;

constexpr std::string_view own_name = "(its own name)";

/// After this place in `other`, no rule can be the first for a subject of the formula.
size_t last_place(const Side& other, FormulaId formula) {
  const auto at = other.first.find(formula);
  return at == other.first.end() ? other.formulas.size() - 1 : at->second;
}

std::vector<FormulaId> before(const Side& a, size_t i, const Side& b, size_t j) {
  std::vector<FormulaId> formulas(a.formulas.begin(),
                                  a.formulas.begin() + static_cast<std::ptrdiff_t>(i));
  formulas.insert(formulas.end(), b.formulas.begin(),
                  b.formulas.begin() + static_cast<std::ptrdiff_t>(j));
  return formulas;
}

/// Whether both sides provably give the same labels. Walks both lists together: where they differ,
/// a rule is unreachable, or two rules with the same label match the same names there. False proves
/// nothing.
bool provably_same(prove::Prover& prover, const Side& a, const Side& b) {
  std::vector<FormulaId> above;  // of a; the rules of b above `j` match the same names
  const auto unreachable = [&](FormulaId formula) { return prover.find(formula, above).none(); };
  const auto implies = [&](FormulaId one, FormulaId other) {
    above.push_back(other);
    const bool none = prover.find(one, above).none();
    above.pop_back();
    return none;
  };
  size_t i = 0;
  size_t j = 0;
  while (i < a.formulas.size() && j < b.formulas.size()) {
    const FormulaId one = a.formulas[i];
    const FormulaId other = b.formulas[j];
    const bool labels = a.labels[i] == b.labels[j];
    if (labels && (one == other || (implies(one, other) && implies(other, one)))) {
      above.push_back(one);
      ++i;
      ++j;
    } else if (i + 1 < a.formulas.size() && unreachable(one)) {
      ++i;
    } else if (j + 1 < b.formulas.size() && unreachable(other)) {
      ++j;
    } else {
      return false;
    }
  }
  return i == a.formulas.size() && j == b.formulas.size();
}

const sema::Table* table_named(const sema::Program& program, const sema::Model& model,
                               std::string_view dimension) {
  const auto id = program.dimension(dimension);
  return id ? model.table(*id) : nullptr;
}

std::vector<std::string> dimensions_of(const sema::Program& program, const sema::Model& model) {
  std::vector<std::string> names;
  for (const sema::Table& table : model.tables) {
    names.push_back(program.dimensions.get(table.dimension).name);
  }
  return names;
}

}  // namespace

RulesOf rules_of(TableOf table) {
  if (table.table == nullptr) return {};
  return {table.table->rules, table.table->otherwise};
}

// A name that moves from rule i to rule j matches a rule that is not common: if i and j were
// common, both would match the name, and have the same order on both sides.
std::vector<FormulaId> formulas_that_differ(prove::Formulas& formulas, TableOf before,
                                            TableOf after) {
  const Side a = side_of(formulas, before);
  const Side b = side_of(formulas, after);
  const auto is_common = [&](size_t i, size_t j) {
    return a.formulas[i] == b.formulas[j] && a.labels[i] == b.labels[j];
  };
  // The longest common subsequence: `common[i][j]` is its length from i and j on.
  const size_t width = b.formulas.size() + 1;
  std::vector<uint32_t> common((a.formulas.size() + 1) * width, 0);
  for (size_t i = a.formulas.size(); i-- > 0;) {
    for (size_t j = b.formulas.size(); j-- > 0;) {
      const size_t at = i * width + j;
      common[at] = is_common(i, j) ? common[at + width + 1] + 1
                                   : std::max(common[at + width], common[at + 1]);
    }
  }
  std::vector<FormulaId> differ;
  size_t i = 0;
  size_t j = 0;
  while (i < a.formulas.size() && j < b.formulas.size()) {
    if (is_common(i, j)) {
      ++i;
      ++j;
    } else if (common[(i + 1) * width + j] >= common[i * width + j + 1]) {
      differ.push_back(a.formulas[i++]);
    } else {
      differ.push_back(b.formulas[j++]);
    }
  }
  differ.insert(differ.end(), a.formulas.begin() + static_cast<std::ptrdiff_t>(i),
                a.formulas.end());
  differ.insert(differ.end(), b.formulas.begin() + static_cast<std::ptrdiff_t>(j),
                b.formulas.end());
  return differ;
}

TableComparison compare_tables(prove::Prover& prover, TableOf before_table, TableOf after_table,
                               const KnownMoves& known) {
  const Side a = side_of(prover.formulas(), before_table);
  const Side b = side_of(prover.formulas(), after_table);
  TableComparison comparison;
  if (provably_same(prover, a, b)) return comparison;
  if (known) comparison.moves = known(before_table, after_table);
  std::set<std::pair<std::string, std::string>> shown;
  for (const Move& move : comparison.moves) shown.emplace(move.from, move.to);
  for (size_t i = 0; i < a.formulas.size(); ++i) {
    const size_t end = last_place(b, a.formulas[i]);
    for (size_t j = 0; j <= end; ++j) {
      if (a.labels[i] == b.labels[j]) continue;
      if (shown.contains({std::string(a.labels[i]), std::string(b.labels[j])})) continue;
      if (last_place(a, b.formulas[j]) < i) continue;
      if (prover.allowance().is_used_up()) {
        comparison.proven = false;
        return comparison;
      }
      const auto both = prover.formulas().all({a.formulas[i], b.formulas[j]});
      prove::Finding finding = prover.find(both, before(a, i, b, j));
      if (finding.none()) continue;
      if (!finding.found()) {
        comparison.proven = false;
        continue;
      }
      shown.emplace(a.labels[i], b.labels[j]);
      comparison.moves.push_back(
          {std::string(a.labels[i]), std::string(b.labels[j]), std::move(finding.witness)});
    }
  }
  return comparison;
}

std::string_view label_of(const sema::Rule& rule) {
  return rule.keep ? own_name : std::string_view(rule.label);
}

std::vector<ComparedDimension> dimensions_compared(const sema::Program& before,
                                                   const sema::Program& after,
                                                   const ModelPairs& pairs) {
  std::vector<ComparedDimension> compared;
  for (const ModelPair& pair : pairs.pairs) {
    const sema::Model& model = before.models.get(pair.before);
    const sema::Model& other = after.models.get(pair.after);
    std::vector<std::string> dimensions = dimensions_of(before, model);
    for (std::string& name : dimensions_of(after, other)) {
      if (std::ranges::find(dimensions, name) == dimensions.end()) {
        dimensions.push_back(std::move(name));
      }
    }
    for (std::string& name : dimensions) {
      const TableOf old_table{&before, table_named(before, model, name)};
      const TableOf new_table{&after, table_named(after, other, name)};
      compared.push_back({before.engines.get(model.engine).name, model.name,
                          after.engines.get(other.engine).name, other.name, std::move(name),
                          old_table, new_table});
    }
  }
  return compared;
}

namespace {

/// Compares order rules after the dimensions that they look at.
class OrderPrograms {
 public:
  OrderPrograms(const sema::Program& before, const sema::Program& after, const ModelPairs& pairs,
                prove::Prover& prover)
      : before_(before), after_(after), pairs_(pairs), prover_(prover) {}

  /// `over_moves(engine, model, dimension)`: changes of a dimension of names.
  template <class OverMoves>
  void compare(const OverMoves& over_moves, Comparison& comparison) {
    for (const ModelPair& pair : pairs_.pairs) {
      const sema::Model& model = before_.models.get(pair.before);
      const sema::Model& other = after_.models.get(pair.after);
      const sema::Engine& engine = before_.engines.get(model.engine);
      const auto add = [&](const sema::OrderTable* a, const sema::OrderTable* b) {
        const sema::Program& has = a != nullptr ? before_ : after_;
        const sema::OrderTable& table = a != nullptr ? *a : *b;
        const std::string& dimension = has.dimensions.get(table.dimension).name;
        const std::string& over = has.dimensions.get(table.over).name;
        const OrderSide old_side = side_of(before_, model, a, over);
        const OrderSide new_side = side_of(after_, other, b, over);
        const std::vector<Move>& moves = over_moves(engine.name, model.name, over);
        const OrderComparison& one = compared(old_side, new_side, moves);
        comparison.proven &= one.proven;
        if (one.move) {
          comparison.changes.push_back({engine.name, model.name, dimension, *one.move});
        }
      };
      const auto same_name = [](const sema::Program& in, const sema::Model& of,
                                std::string_view dimension) {
        const auto id = in.dimension(dimension);
        return id ? of.order_table(*id) : nullptr;
      };
      for (const sema::OrderTable& table : model.order_tables) {
        add(&table, same_name(after_, other, before_.dimensions.get(table.dimension).name));
      }
      for (const sema::OrderTable& table : other.order_tables) {
        const std::string& name = after_.dimensions.get(table.dimension).name;
        if (same_name(before_, model, name) == nullptr) add(nullptr, &table);
      }
    }
  }

 private:
  OrderSide side_of(const sema::Program& program, const sema::Model& model,
                    const sema::OrderTable* table, std::string_view over) const {
    return {&program, table != nullptr ? table : &no_rules_, table_named(program, model, over)};
  }

  const OrderComparison& compared(const OrderSide& a, const OrderSide& b,
                                  const std::vector<Move>& moves) {
    const auto [at, added] =
        known_.try_emplace({rules_of({a.program, a.table}), rules_of({b.program, b.table}),
                            rules_of({a.program, a.over}), rules_of({b.program, b.over})});
    if (added) at->second = compare_order(prover_, a, b, moves);
    return at->second;
  }

  const sema::Program& before_;
  const sema::Program& after_;
  const ModelPairs& pairs_;
  prove::Prover& prover_;
  const sema::OrderTable no_rules_ = {};
  std::map<std::tuple<RulesOf, RulesOf, RulesOf, RulesOf>, OrderComparison> known_;
};

}  // namespace

Comparison compare_programs(const sema::Program& before, const sema::Program& after,
                            const ModelPairs& pairs, const KnownMoves& known) {
  Comparison comparison;
  prove::Formulas formulas;
  prove::Prover prover(formulas);
  std::map<std::pair<RulesOf, RulesOf>, TableComparison> compared;
  std::map<std::tuple<std::string, std::string, std::string>, const std::vector<Move>*>
      by_dimension;
  for (const ComparedDimension& one : dimensions_compared(before, after, pairs)) {
    const auto [at, added] = compared.try_emplace({rules_of(one.before), rules_of(one.after)});
    if (added) at->second = compare_tables(prover, one.before, one.after, known);
    comparison.proven &= at->second.proven;
    for (const Move& move : at->second.moves) {
      comparison.changes.push_back({one.engine, one.model, one.dimension, move});
    }
    by_dimension[{one.engine, one.model, one.dimension}] = &at->second.moves;
  }
  static const std::vector<Move> none;
  OrderPrograms(before, after, pairs, prover)
      .compare(
          [&](const std::string& engine, const std::string& model,
              const std::string& over) -> const std::vector<Move>& {
            const auto moves = by_dimension.find({engine, model, over});
            return moves == by_dimension.end() ? none : *moves->second;
          },
          comparison);
  comparison.only_before = pairs.only_before;
  comparison.only_after = pairs.only_after;
  return comparison;
}

Comparison compare_programs(const sema::Program& before, const sema::Program& after) {
  return compare_programs(before, after, pair_models(before, after));
}

}  // namespace kr::compare
