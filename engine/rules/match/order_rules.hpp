// Order rules over matched atoms: the rules of one order dimension, and what they can tell of the
// operations at hand.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "match/condition.hpp"
#include "order/chain.hpp"
#include "order/explain.hpp"

namespace kr::match {

/// The rules of a table over letters that are numbered from 0 to `letters` - 1. `holds(letter,
/// expr)` says whether an expression matches; it is called for `start` (`letters`) and `end`, too,
/// and with invalid expressions. The rules are those of the table, in the same order.
order::Block order_block(const sema::Program& program, const sema::OrderTable& table,
                         size_t letters,
                         const std::function<bool(size_t letter, sema::ExprId expr)>& holds);

/// Operations are added first, one for each kind that can be told apart: a subject, with each of
/// the labels that the rules name. Small: the letters do not depend on the number of operations.
class OrderRules {
 public:
  /// Both must outlive this.
  OrderRules(const sema::Program& program, const sema::OrderTable& table);
  ~OrderRules();

  /// The next subject; its `word` is not used.
  void add(const Subject& subject);
  /// After the last subject.
  void finish();

  const sema::OrderTable& table() const noexcept { return table_; }
  /// Its rules are those of the table, in the same order.
  const order::Block& block() const noexcept { return block_; }
  /// The number of a label among those that the rules name; 0: they do not name it.
  uint32_t word(std::string_view label) const;
  order::Letter letter(size_t subject, uint32_t word) const {
    return letters_[subject * words_ + word];
  }

 private:
  struct Building;

  const sema::Program& program_;
  const sema::OrderTable& table_;
  std::unique_ptr<Building> building_;
  order::Block block_;
  std::unordered_map<std::string_view, uint32_t> word_of_;
  size_t words_ = 1;
  std::vector<order::Letter> letters_;  // by subject and word
};

/// A sequence of operations, which are all of a stream, with its labels in every dimension of a
/// model. Memory: some 8 bytes per operation and order dimension.
class LabelledSequence {
 public:
  /// `subjects`: those that rules may tell apart; `sequence`: by operation, its subject. All must
  /// outlive this.
  LabelledSequence(const sema::Program& program, const sema::Model& model,
                   std::span<const Subject> subjects, std::span<const uint32_t> sequence);

  /// Of a dimension of the model. None: no rule.
  std::optional<sema::RuleId> rule(sema::DimensionId dimension, size_t at);
  /// The rule whose label the operation has: where `otherwise keep` of order rules keeps the label
  /// of the dimension they look at, the rule of that label.
  std::optional<sema::RuleId> rule_of_label(sema::DimensionId dimension, size_t at);
  /// In an order dimension of the model.
  order::OperationExplained explain(const sema::OrderTable& table, size_t at) const;

 private:
  struct Ordered {
    std::unique_ptr<OrderRules> rules;
    std::vector<order::Letter> letters;
    std::vector<uint32_t> rule_of;
  };
  const Ordered& ordered(const sema::OrderTable& table) const {
    return ordered_[static_cast<size_t>(&table - model_.order_tables.data())];
  }

  const sema::Program& program_;
  const sema::Model& model_;
  std::span<const Subject> subjects_;
  std::span<const uint32_t> sequence_;
  /// By dimension of names, when it is first asked for, and by subject.
  std::unordered_map<sema::DimensionId, std::vector<std::optional<sema::RuleId>>> by_name_;
  std::vector<Ordered> ordered_;  // by OrderTable
};

}  // namespace kr::match
