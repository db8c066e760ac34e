
#include <algorithm>

#include "compare/order_changes.hpp"
#include "lint/fix.hpp"

namespace kr::lint {
namespace {

/// Compares two Programs rule by rule; tables with different rules are compared by the labels they
/// give.
class Meanings {
 public:
  Meanings(const sema::Program& before, const sema::Program& after, prove::Allowance& allowance)
      : before_(before), after_(after), prover_(formulas_, {}, nullptr, &allowance) {}

  bool same() {
    if (before_.models.size() != after_.models.size()) return false;
    for (uint32_t m = 0; m < before_.models.size(); ++m) {
      if (!same_model(before_.models.get({m}), after_.models.get({m}))) return false;
    }
    for (uint32_t e = 0; e < before_.engines.size(); ++e) {
      if (!same_expr(before_.engines.get({e}).detect, after_.engines.get({e}).detect)) return false;
    }
    const auto pattern = [this](const sema::NamedPattern& a, const sema::NamedPattern& b) {
      return a.name == b.name && same_expr(a.expr, b.expr);
    };
    const auto table = [this](const sema::SharedTable& a, const sema::SharedTable& b) {
      return a.name == b.name && same_shared(a, b);
    };
    const auto order_table = [this](const sema::SharedOrderTable& a,
                                    const sema::SharedOrderTable& b) {
      return a.name == b.name && same_order(a, nullptr, b, nullptr);
    };
    return std::ranges::equal(before_.patterns, after_.patterns, pattern) &&
           std::ranges::equal(before_.shared_tables, after_.shared_tables, table) &&
           std::ranges::equal(before_.shared_order_tables, after_.shared_order_tables, order_table);
  }

 private:
  bool same_expr(sema::ExprId a, sema::ExprId b) {
    const prove::FormulaId one = formulas_.of(before_, a);
    const prove::FormulaId other = formulas_.of(after_, b);
    if (one == other) return true;
    const prove::FormulaId ones[] = {one};
    const prove::FormulaId others[] = {other};
    return prover_.find(one, others).none() && prover_.find(other, ones).none();
  }

  /// The named groups of a rule of `phases` are part of its meaning.
  static std::string groups(const sema::Program& program, sema::ExprId root) {
    std::string all;
    sema::each_part(program, {root}, [&](const sema::Expr& expr) {
      if (expr.op == sema::ExprOp::atom) {
        const regex::Regex& regex = program.atoms.get(expr.atom).regex;
        if (!regex::group_names(regex).empty()) all += regex::to_re2(regex) + '\n';
      }
      return true;
    });
    return all;
  }

  bool same_rule(sema::RuleId a, sema::RuleId b) {
    const sema::Rule& one = before_.rules.get(a);
    const sema::Rule& other = after_.rules.get(b);
    return one.label == other.label && one.otherwise == other.otherwise && one.keep == other.keep &&
           same_expr(one.expr, other.expr) &&
           groups(before_, one.expr) == groups(after_, other.expr);
  }

  bool same_otherwise(std::optional<sema::RuleId> a, std::optional<sema::RuleId> b) {
    return a.has_value() == b.has_value() && (!a || same_rule(*a, *b));
  }

  bool same_rules(const std::vector<sema::RuleId>& a, const std::vector<sema::RuleId>& b) {
    return std::ranges::equal(
        a, b, [this](sema::RuleId one, sema::RuleId other) { return same_rule(one, other); });
  }

  bool same_shared(const sema::SharedTable& a, const sema::SharedTable& b) {
    if (a.dimension != b.dimension) return false;
    if (same_rules(a.rules, b.rules) && same_otherwise(a.otherwise, b.otherwise)) return true;
    sema::Table one;
    one.rules = a.rules;
    one.otherwise = a.otherwise;
    sema::Table other;
    other.rules = b.rules;
    other.otherwise = b.otherwise;
    return same_labels(one, other);
  }

  bool same_labels(const sema::Table& a, const sema::Table& b) {
    const compare::TableComparison compared =
        compare::compare_tables(prover_, {&before_, &a}, {&after_, &b});
    return compared.proven && compared.moves.empty();
  }

  bool same_vocabulary(const sema::Table& a, const sema::Table& b) const {
    const auto same_label = [](const sema::Label& one, const sema::Label& other) {
      return one.name == other.name && one.title == other.title && one.color == other.color;
    };
    return before_.dimensions.get(a.dimension).name == after_.dimensions.get(b.dimension).name &&
           a.closed == b.closed && std::ranges::equal(a.vocabulary, b.vocabulary, same_label);
  }

  /// Of two tables that look at dimensions with the same meaning.
  bool same_order(const sema::OrderTable& a, const sema::Table* over_a, const sema::OrderTable& b,
                  const sema::Table* over_b) {
    if (before_.dimensions.get(a.over).name != after_.dimensions.get(b.over).name ||
        !same_vocabulary(a, b)) {
      return false;
    }
    const compare::OrderComparison compared =
        compare::compare_order(prover_, {&before_, &a, over_a}, {&after_, &b, over_b}, {});
    return compared.proven && !compared.move;
  }

  bool same_table(const sema::Table& a, const sema::Table& b) {
    if (!same_vocabulary(a, b)) return false;
    if (same_rules(a.rules, b.rules) && same_otherwise(a.otherwise, b.otherwise)) return true;
    return same_labels(a, b);
  }

  bool same_model(const sema::Model& a, const sema::Model& b) {
    const auto same_fold = [this](const sema::Fold& one, const sema::Fold& other) {
      return same_expr(one.expr, other.expr);
    };
    const auto same_abbreviation = [](const sema::Abbreviation& one,
                                      const sema::Abbreviation& other) {
      return one.from == other.from && one.to == other.to;
    };
    const auto tables = [this](const sema::Table& one, const sema::Table& other) {
      return same_table(one, other);
    };
    const auto order_tables = [&](const sema::OrderTable& one, const sema::OrderTable& other) {
      return same_order(one, a.table(one.over), other, b.table(other.over));
    };
    return a.name == b.name && a.title == b.title && same_expr(a.detect, b.detect) &&
           same_rules(a.phases, b.phases) && std::ranges::equal(a.folds, b.folds, same_fold) &&
           std::ranges::equal(a.abbreviations, b.abbreviations, same_abbreviation) &&
           std::ranges::equal(a.tables, b.tables, tables) &&
           std::ranges::equal(a.order_tables, b.order_tables, order_tables);
  }

  const sema::Program& before_;
  const sema::Program& after_;
  prove::Formulas formulas_;
  prove::Prover prover_;
};

}  // namespace

bool same_meaning(const sema::Program& before, const sema::Program& after,
                  prove::Allowance& allowance) {
  return Meanings(before, after, allowance).same();
}

}  // namespace kr::lint
