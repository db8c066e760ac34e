// Order rules over matched atoms: the rules of one order dimension, and what they can tell of the
// operations at hand.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "match/condition.hpp"
#include "order/chain.hpp"

namespace kr::match {

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

/// The rules that label a sequence of operations, which are all of a stream, in each order
/// dimension of a model: by OrderTable and operation. None: no rule.
using RulesOfSequence = std::vector<std::vector<std::optional<sema::RuleId>>>;
RulesOfSequence label_sequence(const sema::Program& program, const sema::Model& model,
                               std::span<const Subject> sequence);

}  // namespace kr::match
