#include "compare/order_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "order/matcher.hpp"

namespace kr::compare {
namespace {

/// What an operation gets: of a rule, of `otherwise`, or nothing.
std::string order_label(const OrderSide& side, std::optional<sema::RuleId> rule) {
  if (!rule) rule = side.table->otherwise;
  if (!rule) return std::string(sema::reserved::unclassified);
  const sema::Rule& one = side.program->rules.get(*rule);
  if (!one.keep) return one.label;
  return fmt::format("(its {})", side.program->dimensions.get(side.table->over).name);
}

class SameRules {
 public:
  SameRules(prove::Formulas& formulas, const OrderSide& a, const OrderSide& b,
            std::span<const std::string> named)
      : formulas_(formulas), a_(a), b_(b), named_(named) {}

  /// True only if the rules are the same, one by one.
  bool same() {
    return order_label(a_, {}) == order_label(b_, {}) &&
           std::ranges::equal(a_.table->scopes, b_.table->scopes,
                              [this](auto a, auto b) { return same_scope(a, b); }) &&
           std::ranges::equal(a_.table->rules, b_.table->rules,
                              [this](auto a, auto b) { return same_rule(a, b); });
  }

 private:
  bool same_expr(sema::ExprId a, sema::ExprId b) {
    if (a.valid() != b.valid()) return false;
    for (const sema::WordId edge : {sema::start_word, sema::end_word}) {
      if (a.valid() && holds_at_edge(*a_.program, a, edge) != holds_at_edge(*b_.program, b, edge)) {
        return false;
      }
    }
    const auto same_with = [&](std::string_view label) {
      return formula_with_label(formulas_, *a_.program, a, label) ==
             formula_with_label(formulas_, *b_.program, b, label);
    };
    return same_with("") && std::ranges::all_of(named_, same_with);
  }

  bool same_scope(sema::OrderScopeId a, sema::OrderScopeId b) {
    if (!a.valid() || !b.valid()) return a.valid() == b.valid();
    const sema::OrderScope& one = a_.program->order_scopes.get(a);
    const sema::OrderScope& other = b_.program->order_scopes.get(b);
    return same_expr(one.ignore, other.ignore) && same_expr(one.continues, other.continues);
  }

  bool same_rule(sema::RuleId a, sema::RuleId b) {
    const sema::Rule& one = a_.program->rules.get(a);
    const sema::Rule& other = b_.program->rules.get(b);
    if (one.label != other.label || one.chain.has_value() != other.chain.has_value() ||
        !same_scope(one.scope, other.scope)) {
      return false;
    }
    if (!one.chain) return same_expr(one.expr, other.expr);
    const auto same_step = [this](const sema::ChainStep& a, const sema::ChainStep& b) {
      return a.optional == b.optional && a.repeated == b.repeated && same_expr(a.expr, b.expr);
    };
    return one.chain->first == other.chain->first && one.chain->last == other.chain->last &&
           std::ranges::equal(one.chain->steps, other.chain->steps, same_step);
  }

  prove::Formulas& formulas_;
  const OrderSide& a_;
  const OrderSide& b_;
  std::span<const std::string> named_;
};

/// All operations, by their labels on both sides.
std::vector<LabelledNames> pairs_of_labels(prove::Formulas& formulas, const OrderSide& before,
                                           const OrderSide& after,
                                           std::span<const std::string> named,
                                           std::span<const Move> over_moves) {
  std::vector<LabelledNames> all = all_operations(formulas, before, named);
  const bool by_name = before.over != nullptr && after.over != nullptr;
  for (LabelledNames& one : all) {
    const std::string& label = one.labels.front();
    if (by_name && !over_moves.empty()) {
      one.wanted = formulas.all(
          {one.wanted, names_with(formulas, *after.program, *after.over, named, label)});
    }
    one.labels.push_back(label);
  }
  if (!by_name) return all;
  std::map<std::pair<std::string, std::string>, bool> known;
  for (const Move& move : over_moves) {
    const auto word = [&](const std::string& label) {
      return std::ranges::find(named, label) == named.end() ? std::string() : label;
    };
    const std::string from = word(move.from);
    const std::string to = word(move.to);
    if (from == to || !known.emplace(std::pair(from, to), true).second) continue;
    all.push_back({{from, to},
                   formulas.all({names_with(formulas, *before.program, *before.over, named, from),
                                 names_with(formulas, *after.program, *after.over, named, to)})});
  }
  return all;
}

}  // namespace

OrderComparison compare_order(prove::Prover& prover, const OrderSide& before,
                              const OrderSide& after, std::span<const Move> over_moves) {
  prove::Formulas& formulas = prover.formulas();
  std::vector<std::string> named = labels_named(before);
  for (std::string& label : labels_named(after)) {
    if (std::ranges::find(named, label) == named.end()) named.push_back(std::move(label));
  }
  if (SameRules(formulas, before, after, named).same()) return {};
  const OrderSide sides[] = {before, after};
  const OrderAlphabet alphabet =
      order_alphabet(prover, sides, pairs_of_labels(formulas, before, after, named, over_moves));
  std::map<std::string, uint32_t> numbers;
  std::vector<std::vector<uint32_t>> labels;
  for (const OrderSide& side : sides) {
    std::vector<uint32_t>& of_side = labels.emplace_back();
    for (const sema::RuleId rule : side.table->rules) {
      const auto number = static_cast<uint32_t>(numbers.size());
      of_side.push_back(numbers.emplace(order_label(side, rule), number).first->second);
    }
  }
  const auto rule_of = [&](size_t side, const order::Witness& witness) {
    std::vector<uint32_t> rules;
    order::Matcher(alphabet.blocks[side]).label(witness.sequence, rules);
    const uint32_t rule = rules[witness.operation];
    return rule == order::no_rule ? std::optional<sema::RuleId>() : sides[side].table->rules[rule];
  };
  const auto move_of = [&](const order::Witness& witness) -> std::optional<Move> {
    const auto old_rule = rule_of(0, witness);
    const auto new_rule = rule_of(1, witness);
    Move move{order_label(before, old_rule),
              order_label(after, new_rule),
              alphabet.letters[witness.sequence[witness.operation]].name,
              {}};
    if (move.from == move.to) return std::nullopt;
    move.order = Move::InOrder{sequence_text(alphabet, witness),
                               old_rule ? old_rule : before.table->otherwise,
                               new_rule ? new_rule : after.table->otherwise};
    return move;
  };
  const order::BlockComparison compared =
      order::compare(alphabet.blocks[0], labels[0], alphabet.blocks[1], labels[1]);
  OrderComparison comparison;
  if (compared.witness) comparison.move = move_of(*compared.witness);
  if (!comparison.move && order_label(before, {}) != order_label(after, {})) {
    for (order::Letter letter = 0; letter < alphabet.letters.size() && !comparison.move; ++letter) {
      comparison.move = move_of({{letter}, 0});
    }
  }
  comparison.proven = comparison.move.has_value() ||
                      (compared.result == order::Equality::equal && alphabet.complete);
  return comparison;
}

}  // namespace kr::compare
