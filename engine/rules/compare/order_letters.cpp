#include "compare/order_letters.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/bytes.hpp"
#include "base/hash.hpp"
#include "match/order_rules.hpp"

namespace kr::compare {
namespace {

using prove::FormulaId;
using prove::Formulas;

/// The maximum number of letters.
constexpr size_t max_letters = 4096;

/// The answers that are looked through or copied in the time of one step.
constexpr size_t answers_a_step = 128;

/// Formulas of expressions for operations with one label.
class WithLabel {
 public:
  WithLabel(Formulas& formulas, const sema::Program& program, std::string_view label)
      : formulas_(formulas), program_(program), label_(label) {}

  // The recursion is bounded by sema::max_expr_depth, and visits each shared expression once.
  FormulaId of(sema::ExprId id) {
    if (!id.valid()) return formulas_.never();
    if (const auto known = known_.find(id); known != known_.end()) return known->second;
    const sema::Expr& expr = program_.exprs.get(id);
    FormulaId formula;
    switch (expr.op) {
      case sema::ExprOp::atom:
      case sema::ExprOp::operation:
      case sema::ExprOp::within:
      case sema::ExprOp::within_op:
      case sema::ExprOp::op:
      case sema::ExprOp::phase:
      case sema::ExprOp::own:
        formula = formulas_.of(program_, id);
        break;
      case sema::ExprOp::label:
        formula = formulas_.constant(!is_edge(expr) && !label_.empty() &&
                                     program_.words.get(expr.word).label == label_);
        break;
      case sema::ExprOp::negation:
        formula = formulas_.negation(of(expr.operands.front()));
        break;
      case sema::ExprOp::conjunction:
      case sema::ExprOp::disjunction: {
        std::vector<FormulaId> operands;
        for (const sema::ExprId operand : expr.operands) operands.push_back(of(operand));
        formula = expr.op == sema::ExprOp::conjunction ? formulas_.all(std::move(operands))
                                                       : formulas_.any(std::move(operands));
      }
    }
    known_.emplace(id, formula);
    return formula;
  }

 private:
  static bool is_edge(const sema::Expr& expr) {
    return expr.word == sema::start_word || expr.word == sema::end_word;
  }

  Formulas& formulas_;
  const sema::Program& program_;
  std::string_view label_;
  std::unordered_map<sema::ExprId, FormulaId> known_;
};

/// An expression of the rules of one side. It is asked only of operations that one of its scopes
/// sees: what no chain sees cannot be told apart.
struct Question {
  size_t side;
  sema::ExprId expr;
  bool always = false;
  std::vector<sema::OrderScopeId> scopes = {};
};

class Letters {
 public:
  Letters(prove::Prover& prover, std::span<const OrderSide> sides)
      : prover_(prover), formulas_(prover.formulas()), sides_(sides) {
    for (size_t side = 0; side < sides.size(); ++side) add_questions(side);
  }

  OrderAlphabet find(std::span<const LabelledNames> operations,
                     const std::optional<OrderMemo>& memo) && {
    for (const LabelledNames& one : operations) ask(one);
    const Hash128 digest = this->digest(operations);
    if (!memo || !recall(digest, operations, *memo)) {
      const size_t left = memo ? memo->allowance.left() : 0;
      const prove::Steps budget =
          memo ? memo->allowance.granted(prove::Budget().states) : prove::Steps(0);
      for (uint32_t i = 0; i < operations.size(); ++i) find(operations[i], i);
      if (memo && alphabet_.complete) {
        memo->proofs.keep(digest, {prove::Answer::found, to_bytes()}, budget,
                          {0, left - memo->allowance.left()});
      }
    }
    for (size_t side = 0; side < sides_.size(); ++side) {
      alphabet_.blocks.push_back(match::order_block(
          *sides_[side].program, *sides_[side].table, alphabet_.letters.size(),
          [&](size_t letter, sema::ExprId expr) { return holds(side, letter, expr); }));
    }
    return std::move(alphabet_);
  }

 private:
  using Answers = std::vector<bool>;  // by question
  struct Node {
    Answers answers;                                  // so far
    std::vector<std::pair<FormulaId, bool>> decided;  // by the name or by the rules
    prove::Witness name;
  };

  void add_questions(size_t side) {
    const sema::Program& program = *sides_[side].program;
    const sema::OrderTable& table = *sides_[side].table;
    const auto add = [&](sema::ExprId expr, bool always, sema::OrderScopeId scope) {
      if (!expr.valid()) return;
      const auto [at, added] = number_.try_emplace({side, expr}, questions_.size());
      if (added) questions_.push_back({side, expr});
      Question& question = questions_[at->second];
      question.always |= always;
      if (!always && std::ranges::find(question.scopes, scope) == question.scopes.end()) {
        question.scopes.push_back(scope);
      }
    };
    const auto add_scope = [&](sema::OrderScopeId id) {
      if (!id.valid()) return;
      add(program.order_scopes.get(id).ignore, true, id);
      add(program.order_scopes.get(id).continues, true, id);
    };
    for (const sema::RuleId id : table.rules) add_scope(program.rules.get(id).scope);
    for (const sema::OrderScopeId id : table.scopes) add_scope(id);
    for (const sema::RuleId id : table.rules) {
      const sema::Rule& rule = program.rules.get(id);
      if (!rule.chain) add(rule.expr, true, {});
    }
    for (const sema::RuleId id : table.rules) {
      const sema::Rule& rule = program.rules.get(id);
      if (!rule.chain) continue;
      for (const sema::ChainStep& step : rule.chain->steps) {
        // What an expression is asked for more than once is asked first for the larger set.
        add(step.expr, !rule.scope.valid(), rule.scope);
      }
    }
  }

  bool answer(const Answers& answers, size_t side, sema::ExprId expr) const {
    return expr.valid() && answers[number_.at({side, expr})];
  }

  bool is_seen(const Node& node, const Question& question) const {
    if (question.always) return true;
    const sema::Program& program = *sides_[question.side].program;
    return std::ranges::any_of(question.scopes, [&](sema::OrderScopeId id) {
      const sema::OrderScope& scope = program.order_scopes.get(id);
      return !answer(node.answers, question.side, scope.ignore) &&
             !answer(node.answers, question.side, scope.continues);
    });
  }

  /// What is asked of operations with these labels.
  void ask(const LabelledNames& operations) {
    std::vector<WithLabel> with_label;
    for (size_t side = 0; side < sides_.size(); ++side) {
      with_label.emplace_back(formulas_, *sides_[side].program, operations.labels[side]);
    }
    std::vector<FormulaId>& asked = asked_.emplace_back();
    for (const Question& one : questions_) asked.push_back(with_label[one.side].of(one.expr));
  }

  /// All that the letters depend on.
  Hash128 digest(std::span<const LabelledNames> operations) const {
    Hash128 digest = hash128("letters of order rules");
    const auto add_question = [&](size_t side, sema::ExprId expr) {
      digest.add(expr.valid() ? number_.at({side, expr}) : questions_.size());
    };
    digest.add(questions_.size());
    for (const Question& one : questions_) {
      digest.add(one.always ? 1 : 0);
      digest.add(one.scopes.size());
      for (const sema::OrderScopeId id : one.scopes) {
        const sema::OrderScope& scope = sides_[one.side].program->order_scopes.get(id);
        add_question(one.side, scope.ignore);
        add_question(one.side, scope.continues);
      }
    }
    digest.add(operations.size());
    for (size_t i = 0; i < operations.size(); ++i) {
      digest.add(formulas_.get(operations[i].wanted).digest);
      digest.add(operations[i].excluded.size());
      for (const FormulaId id : operations[i].excluded) digest.add(formulas_.get(id).digest);
      for (const FormulaId id : asked_[i]) digest.add(formulas_.get(id).digest);
    }
    return digest;
  }

  std::string to_bytes() const {
    ByteWriter out;
    out.number(answers_.size());
    for (size_t i = 0; i < answers_.size(); ++i) {
      const prove::Witness& name = alphabet_.letters[i].name;
      out.number(operations_of_[i]);
      out.text(std::string(answers_[i].begin(), answers_[i].end()));
      out.text(name.name);
      out.number(static_cast<uint64_t>(name.kind));
      out.number(name.kind_matters ? 1 : 0);
      out.number(name.within.size());
      for (const std::string& one : name.within) out.text(one);
    }
    return std::move(out).take();
  }

  bool recall(const Hash128& digest, std::span<const LabelledNames> operations,
              const OrderMemo& memo) {
    const size_t left = memo.allowance.left();
    prove::Steps budget = memo.allowance.granted(prove::Budget().states);
    const size_t granted = budget.work;
    const auto known = memo.proofs.recall(digest, budget);
    const size_t used = granted - budget.work;  // modulo 2^64: all questions may take more than one
    if (!known || used > left) return false;
    if (!read(known->name, operations)) {
      alphabet_.letters.clear();
      answers_.clear();
      return false;
    }
    memo.allowance.take(used);
    return true;
  }

  bool read(std::string_view bytes, std::span<const LabelledNames> operations) {
    ByteReader in(bytes);
    const uint64_t letters = in.number().value_or(UINT64_MAX);
    if (letters > max_letters) return false;
    for (uint64_t i = 0; i < letters; ++i) {
      const auto operation = in.number();
      const auto answers = in.text();
      const auto name = in.text();
      const auto kind = in.number();
      const auto kind_matters = in.number();
      const auto within = in.number();
      if (!within || *operation >= operations.size() || answers->size() != questions_.size() ||
          *kind > static_cast<uint64_t>(OperationKind::memset)) {
        return false;
      }
      prove::Witness witness{
          std::string(*name), static_cast<OperationKind>(*kind), *kind_matters != 0, {}};
      for (uint64_t k = 0; k < *within; ++k) {
        const auto one = in.text();
        if (!one) return false;
        witness.within.emplace_back(*one);
      }
      answers_.emplace_back(answers->begin(), answers->end());
      alphabet_.letters.push_back({operations[*operation].labels, std::move(witness)});
    }
    return in.left() == 0;
  }

  void find(const LabelledNames& operations, uint32_t number) {
    const std::vector<FormulaId>& asked = asked_[number];
    std::vector<Node> open;
    // Nodes of many answers take time and memory, too.
    const auto is_used_up = [&](size_t answers) {
      prover_.charge(answers / answers_a_step);
      return prover_.allowance().is_used_up();
    };
    const auto add = [&](const Node* from, FormulaId more, bool value) {
      std::vector<FormulaId> wanted{operations.wanted};
      std::vector<FormulaId> excluded = operations.excluded;
      Node node;
      if (from != nullptr) node = *from;
      if (more.valid()) node.decided.emplace_back(more, value);
      for (const auto& [formula, holds] : node.decided) {
        (holds ? wanted : excluded).push_back(formula);
      }
      prove::Finding found = prover_.find(formulas_.all(std::move(wanted)), excluded);
      alphabet_.complete &= found.answer != prove::Answer::not_proven;
      if (!found.found()) return;
      node.name = std::move(found.witness);
      if (more.valid()) node.answers.push_back(value);
      open.push_back(std::move(node));
    };
    add(nullptr, {}, false);
    while (!open.empty()) {
      Node node = std::move(open.back());
      open.pop_back();
      while (node.answers.size() < questions_.size()) {
        if (is_used_up(node.decided.size())) {
          alphabet_.complete = false;
          return;
        }
        const size_t at = node.answers.size();
        const FormulaId formula = asked[at];
        const auto known =
            std::ranges::find(node.decided, formula, &std::pair<FormulaId, bool>::first);
        if (formula == formulas_.never() || !is_seen(node, questions_[at])) {
          node.answers.push_back(false);
        } else if (formula == formulas_.always() || known != node.decided.end()) {
          node.answers.push_back(known == node.decided.end() || known->second);
        } else {
          const bool value = prover_.holds(formula, node.name);
          add(&node, formula, !value);
          node.decided.emplace_back(formula, value);
          node.answers.push_back(value);
        }
      }
      keep(operations, number, std::move(node));
    }
  }

  void keep(const LabelledNames& operations, uint32_t number, Node node) {
    if (!known_.emplace(node.answers, alphabet_.letters.size()).second) return;
    if (alphabet_.letters.size() == max_letters) {
      alphabet_.complete = false;
      return;
    }
    alphabet_.letters.push_back({operations.labels, std::move(node.name)});
    answers_.push_back(std::move(node.answers));
    operations_of_.push_back(number);
  }

  bool holds(size_t side, size_t letter, sema::ExprId expr) const {
    if (letter < answers_.size()) return answer(answers_[letter], side, expr);
    const bool is_start = letter == answers_.size();
    return expr.valid() &&
           holds_at_edge(*sides_[side].program, expr, is_start ? sema::start_word : sema::end_word);
  }

  prove::Prover& prover_;
  Formulas& formulas_;
  std::span<const OrderSide> sides_;
  std::vector<Question> questions_;
  std::map<std::pair<size_t, sema::ExprId>, size_t> number_;
  std::vector<std::vector<FormulaId>> asked_;  // by operations and question
  std::map<Answers, size_t> known_;
  std::vector<Answers> answers_;         // by letter
  std::vector<uint32_t> operations_of_;  // the same
  OrderAlphabet alphabet_;
};

/// Calls `each(label, first, end)` for rules that follow each other and give the same of the labels
/// named, then for the names that no rule matches, with an empty range.
template <class Each>
void each_label(const sema::Program& program, const sema::Table& table,
                std::span<const std::string> named, const Each& each) {
  const auto label_of = [&](sema::RuleId id) {
    const sema::Rule& rule = program.rules.get(id);
    return std::ranges::find(named, rule.label) == named.end() ? std::string() : rule.label;
  };
  for (size_t i = 0; i < table.rules.size();) {
    const std::string label = label_of(table.rules[i]);
    const size_t first = i;
    while (i < table.rules.size() && label_of(table.rules[i]) == label) ++i;
    each(label, first, i);
  }
  each(table.otherwise ? label_of(*table.otherwise) : std::string(), table.rules.size(),
       table.rules.size());
}

std::vector<FormulaId> formulas_of(Formulas& formulas, const sema::Program& program,
                                   const sema::Table& table, size_t first, size_t end) {
  std::vector<FormulaId> all;
  for (size_t i = first; i < end; ++i) {
    all.push_back(formulas.of(program, table.expr(program, i)));
  }
  return all;
}

}  // namespace

bool holds_at_edge(const sema::Program& program, sema::ExprId id, sema::WordId edge) {
  const sema::Expr& expr = program.exprs.get(id);
  const auto holds = [&](sema::ExprId operand) { return holds_at_edge(program, operand, edge); };
  switch (expr.op) {
    case sema::ExprOp::label:
      return expr.word == edge;
    case sema::ExprOp::conjunction:
      return std::ranges::all_of(expr.operands, holds);
    case sema::ExprOp::disjunction:
      return std::ranges::any_of(expr.operands, holds);
    default:
      return false;
  }
}

std::vector<std::string> labels_named(const OrderSide& side) {
  std::vector<std::string> labels;
  sema::each_part(*side.program, sema::expressions_of(*side.program, *side.table),
                  [&](const sema::Expr& part) {
                    if (part.op == sema::ExprOp::label && part.word != sema::start_word &&
                        part.word != sema::end_word) {
                      const std::string& label = side.program->words.get(part.word).label;
                      if (std::ranges::find(labels, label) == labels.end()) {
                        labels.push_back(label);
                      }
                    }
                    return part.op != sema::ExprOp::within;
                  });
  return labels;
}

std::vector<LabelledNames> all_operations(Formulas& formulas, const OrderSide& side,
                                          std::span<const std::string> named) {
  std::vector<LabelledNames> all;
  if (side.over == nullptr) {
    for (const std::string& label : named) all.push_back({{label}, formulas.always()});
    all.push_back({{""}, formulas.always()});
    return all;
  }
  each_label(*side.program, *side.over, named, [&](std::string label, size_t first, size_t end) {
    all.push_back({{std::move(label)},
                   first == end
                       ? formulas.always()
                       : formulas.any(formulas_of(formulas, *side.program, *side.over, first, end)),
                   formulas_of(formulas, *side.program, *side.over, 0, first)});
  });
  return all;
}

FormulaId names_with(Formulas& formulas, const sema::Program& program, const sema::Table& table,
                     std::span<const std::string> named, std::string_view wanted) {
  std::vector<FormulaId> names;
  each_label(program, table, named, [&](const std::string& label, size_t first, size_t end) {
    if (label != wanted) return;
    const FormulaId above = formulas.any(formulas_of(formulas, program, table, 0, first));
    std::vector<FormulaId> both{formulas.negation(above)};
    if (first != end)
      both.push_back(formulas.any(formulas_of(formulas, program, table, first, end)));
    names.push_back(formulas.all(std::move(both)));
  });
  return formulas.any(std::move(names));
}

FormulaId formula_with_label(Formulas& formulas, const sema::Program& program, sema::ExprId expr,
                             std::string_view label) {
  return WithLabel(formulas, program, label).of(expr);
}

OrderAlphabet order_alphabet(prove::Prover& prover, std::span<const OrderSide> sides,
                             std::span<const LabelledNames> operations,
                             const std::optional<OrderMemo>& memo) {
  return Letters(prover, sides).find(operations, memo);
}

namespace {

Hash128 digest_of(const order::Block& block, const order::ProofBudget& budget) {
  ByteWriter all;
  const auto bytes = [&](const std::vector<uint8_t>& values) {
    all.text(std::string_view(reinterpret_cast<const char*>(values.data()), values.size()));
  };
  for (const size_t limit : {budget.states, budget.meetings, budget.checks}) all.number(limit);
  all.number(block.letters);
  all.number(block.scopes.size());
  for (const order::Scope& scope : block.scopes) {
    bytes(scope.passes);
    bytes(scope.continues);
  }
  for (const order::OrderRule& rule : block.rules) {
    all.number(rule.chain ? 1 : 0);
    if (!rule.chain) {
      bytes(rule.letters);
      continue;
    }
    const order::Chain& chain = *rule.chain;
    all.number(chain.steps.size());
    for (const order::Step& step : chain.steps) {
      all.number((step.optional ? 1U : 0U) | (step.repeated ? 2U : 0U));
    }
    for (const uint32_t number : {chain.first, chain.last, chain.scope}) all.number(number);
    for (const uint64_t steps : chain.takes) all.number(steps);
  }
  Hash128 digest = hash128("proofs about order rules");
  digest.add(hash128(std::move(all).take()));
  return digest;
}

std::string bytes_of(const std::vector<order::RuleProof>& proofs) {
  ByteWriter out;
  const auto numbers = [&](const std::vector<uint32_t>& list) {
    out.number(list.size());
    for (const uint32_t one : list) out.number(one);
  };
  for (const order::RuleProof& proof : proofs) {
    out.number(static_cast<uint64_t>(proof.verdict));
    out.number(proof.witness ? 1 : 0);
    if (proof.witness) {
      numbers(proof.witness->sequence);
      out.number(proof.witness->operation);
    }
    numbers(proof.covered_by);
  }
  return std::move(out).take();
}

std::optional<std::vector<order::RuleProof>> proofs_of(const order::Block& block,
                                                       std::string_view bytes) {
  ByteReader in(bytes);
  const auto numbers = [&](std::vector<uint32_t>& list, size_t limit) {
    const auto count = in.number();
    for (uint64_t i = 0; count && i < *count; ++i) {
      const auto one = in.number();
      if (!one || *one >= limit) return false;
      list.push_back(static_cast<uint32_t>(*one));
    }
    return count.has_value();
  };
  std::vector<order::RuleProof> proofs(block.rules.size());
  for (order::RuleProof& proof : proofs) {
    const auto verdict = in.number();
    const auto witness = in.number();
    if (!witness || *verdict > static_cast<uint64_t>(order::Verdict::not_decided)) {
      return std::nullopt;
    }
    proof.verdict = static_cast<order::Verdict>(*verdict);
    if (*witness != 0) {
      proof.witness.emplace();
      if (!numbers(proof.witness->sequence, block.letters)) return std::nullopt;
      const auto operation = in.number();
      if (!operation || *operation >= proof.witness->sequence.size()) return std::nullopt;
      proof.witness->operation = static_cast<uint32_t>(*operation);
    }
    if (!numbers(proof.covered_by, block.rules.size())) return std::nullopt;
  }
  return in.left() == 0 ? std::optional(std::move(proofs)) : std::nullopt;
}

}  // namespace

std::vector<order::RuleProof> prove_order(const order::Block& block,
                                          const order::ProofBudget& budget,
                                          prove::ProofMemo* memo) {
  if (memo == nullptr) return order::prove(block, budget);
  const Hash128 digest = digest_of(block, budget);
  prove::Steps none(0);  // these proofs have a budget of their own
  if (const auto known = memo->recall(digest, none)) {
    if (auto proofs = proofs_of(block, known->name)) return std::move(*proofs);
  }
  std::vector<order::RuleProof> proofs = order::prove(block, budget);
  if (!budget.is_stopped()) {
    memo->keep(digest, {prove::Answer::found, bytes_of(proofs)}, none, none);
  }
  return proofs;
}

std::string sequence_text(const OrderAlphabet& alphabet, const order::Witness& witness) {
  std::string text;
  for (size_t i = 0; i < witness.sequence.size(); ++i) {
    const OrderLetter& letter = alphabet.letters[witness.sequence[i]];
    const std::string& label = letter.labels.front();
    std::string one = letter.name.name.empty() ? label : to_string(letter.name);
    if (one.empty()) one = "_";
    if (i > 0) text += " > ";
    text += i == witness.operation ? "[" + one + "]" : one;
  }
  return text;
}

}  // namespace kr::compare
