#include "match/order_rules.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "base/interned.hpp"
#include "match/evaluate.hpp"
#include "order/matcher.hpp"

namespace kr::match {
namespace {

/// Which of the expressions hold: what the rules can tell of an operation.
using Signature = std::vector<uint64_t>;

struct SignatureHash {
  uint64_t operator()(const Signature& bits) const noexcept {
    return hash_bytes({reinterpret_cast<const char*>(bits.data()), bits.size() * sizeof(uint64_t)});
  }
};

/// The expressions of an order table, each once.
class Questions {
 public:
  Questions(const sema::Program& program, const sema::OrderTable& table) {
    const std::vector<sema::ExprId> exprs = sema::expressions_of(program, table);
    for (const sema::ExprId expr : exprs) {
      const auto [at, added] = number_of_.try_emplace(expr, conditions_.size());
      if (added) conditions_.emplace_back(program, expr);
    }
    sema::each_part(program, exprs, [&](const sema::Expr& part) {
      if (part.op == sema::ExprOp::label && part.word != sema::start_word &&
          part.word != sema::end_word && std::ranges::find(words_, part.word) == words_.end()) {
        words_.push_back(part.word);
      }
      return part.op != sema::ExprOp::within;
    });
  }
  /// The labels that the expressions name.
  const std::vector<sema::WordId>& words() const noexcept { return words_; }
  Signature answers(const Subject& subject) const {
    Signature bits((conditions_.size() + 63) / 64);
    for (size_t i = 0; i < conditions_.size(); ++i) {
      if (conditions_[i].holds(subject)) bits[i / 64] |= uint64_t{1} << (i % 64);
    }
    return bits;
  }
  bool holds(const Signature& bits, sema::ExprId expr) const {
    if (!expr.valid()) return false;
    const size_t number = number_of_.at(expr);
    return ((bits[number / 64] >> (number % 64)) & 1) != 0;
  }

 private:
  std::vector<Condition> conditions_;
  std::unordered_map<sema::ExprId, size_t> number_of_;
  std::vector<sema::WordId> words_;
};

}  // namespace

order::Block order_block(const sema::Program& program, const sema::OrderTable& table,
                         size_t letters,
                         const std::function<bool(size_t letter, sema::ExprId expr)>& holds) {
  order::Block block;
  block.letters = letters;
  const auto by_letter = [&](sema::ExprId expr) {
    std::vector<uint8_t> all;
    all.reserve(letters);
    for (size_t i = 0; i < letters; ++i) all.push_back(holds(i, expr) ? 1 : 0);
    return all;
  };
  std::unordered_map<sema::OrderScopeId, uint32_t> scopes;
  const auto scope_of = [&](sema::OrderScopeId id) {
    const auto [at, added] = scopes.try_emplace(id, static_cast<uint32_t>(block.scopes.size()));
    if (added) {
      const sema::OrderScope scope = id.valid() ? program.order_scopes.get(id) : sema::OrderScope{};
      block.scopes.push_back({by_letter(scope.ignore), by_letter(scope.continues)});
    }
    return at->second;
  };
  for (const sema::OrderScopeId scope : table.scopes) scope_of(scope);
  for (const sema::RuleId id : table.rules) {
    const sema::Rule& rule = program.rules.get(id);
    order::OrderRule made;
    if (!rule.chain) {
      made.letters = by_letter(rule.expr);
      block.rules.push_back(std::move(made));
      continue;
    }
    order::Chain chain;
    chain.first = rule.chain->first;
    chain.last = rule.chain->last;
    chain.scope = scope_of(rule.scope);
    chain.takes.resize(letters + 2);
    for (size_t s = 0; s < rule.chain->steps.size(); ++s) {
      const sema::ChainStep& step = rule.chain->steps[s];
      chain.steps.push_back({step.optional, step.repeated});
      for (size_t i = 0; i < letters + 2; ++i) {
        if (holds(i, step.expr)) chain.takes[i] |= uint64_t{1} << s;
      }
    }
    made.chain = std::move(chain);
    block.rules.push_back(std::move(made));
  }
  return block;
}

struct OrderRules::Building {
  Building(const sema::Program& program, const sema::OrderTable& table)
      : questions(program, table) {}
  Questions questions;
  Interned<Signature, SignatureHash> known;
};

OrderRules::OrderRules(const sema::Program& program, const sema::OrderTable& table)
    : program_(program), table_(table), building_(std::make_unique<Building>(program, table)) {
  const std::vector<sema::WordId>& words = building_->questions.words();
  words_ = words.size() + 1;
  for (size_t i = 0; i < words.size(); ++i) {
    word_of_.emplace(program.words.get(words[i]).label, i + 1);
  }
}

OrderRules::~OrderRules() = default;

void OrderRules::add(const Subject& subject) {
  for (size_t w = 0; w < words_; ++w) {
    Subject one = subject;
    one.word = w > 0 ? building_->questions.words()[w - 1] : sema::WordId{};
    letters_.push_back(building_->known.add(building_->questions.answers(one)));
  }
}

void OrderRules::finish() {
  std::vector<Signature> all;
  for (uint32_t i = 0; i < building_->known.size(); ++i) all.push_back(building_->known[i]);
  const AtomSet none(program_.atoms.size());
  for (const sema::WordId edge : {sema::start_word, sema::end_word}) {
    all.push_back(building_->questions.answers({.name = &none, .word = edge}));
  }
  block_ = order_block(program_, table_, all.size() - 2, [&](size_t letter, sema::ExprId expr) {
    return building_->questions.holds(all[letter], expr);
  });
  building_.reset();
}

uint32_t OrderRules::word(std::string_view label) const {
  const auto at = word_of_.find(label);
  return at == word_of_.end() ? 0 : at->second;
}

LabelledSequence::LabelledSequence(const sema::Program& program, const sema::Model& model,
                                   std::span<const Subject> subjects,
                                   std::span<const uint32_t> sequence)
    : program_(program), model_(model), subjects_(subjects), sequence_(sequence) {
  for (const sema::OrderTable& table : model.order_tables) {
    Ordered one{std::make_unique<OrderRules>(program, table), {}, {}};
    for (const Subject& subject : subjects) one.rules->add(subject);
    one.rules->finish();
    one.letters.reserve(sequence.size());
    for (size_t i = 0; i < sequence.size(); ++i) {
      const std::optional<sema::RuleId> over = rule_of_label(table.over, i);
      const uint32_t word = over ? one.rules->word(program.rules.get(*over).label) : 0;
      one.letters.push_back(one.rules->letter(sequence[i], word));
    }
    order::Matcher(one.rules->block()).label(one.letters, one.rule_of);
    ordered_.push_back(std::move(one));
  }
}

std::optional<sema::RuleId> LabelledSequence::rule(sema::DimensionId dimension, size_t at) {
  if (const sema::OrderTable* table = model_.order_table(dimension)) {
    const uint32_t rule = ordered(*table).rule_of[at];
    return rule == order::no_rule ? table->otherwise : std::optional(table->rules[rule]);
  }
  auto& rules = by_name_[dimension];
  if (rules.empty()) {
    const TableMatcher matcher(program_, *model_.table(dimension));
    for (const Subject& subject : subjects_) rules.push_back(matcher.match(subject));
  }
  return rules[sequence_[at]];
}

std::optional<sema::RuleId> LabelledSequence::rule_of_label(sema::DimensionId dimension,
                                                            size_t at) {
  for (;;) {
    const std::optional<sema::RuleId> found = rule(dimension, at);
    const sema::OrderTable* table = model_.order_table(dimension);
    if (table == nullptr || !found || !program_.rules.get(*found).keep) return found;
    dimension = table->over;
  }
}

order::OperationExplained LabelledSequence::explain(const sema::OrderTable& table,
                                                    size_t at) const {
  const Ordered& one = ordered(table);
  return order::explain(one.rules->block(), one.letters, static_cast<uint32_t>(at));
}

}  // namespace kr::match
