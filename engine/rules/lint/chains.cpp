// KR333 to KR338, and KR401, KR413 of order rules: rules and steps that label nothing, proven over
// all sequences of operations that names can give; chains that are no chains, or too long ones; and
// those that no test reaches.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/join.hpp"
#include "compare/order_letters.hpp"
#include "lint/checks.hpp"

namespace kr::lint {
namespace {

/// The rules of an order dimension, of one model or of several that have the same.
struct List {
  std::vector<std::string> whose;  // `vllm/llama`, `table t`
  compare::OrderSide side;
  compare::OrderAlphabet alphabet = {};
  std::vector<order::RuleProof> proofs = {};
};

class Chains {
 public:
  Chains(const Context& context, diag::Sink& sink)
      : context_(context),
        program_(context.program()),
        sink_(sink),
        prover_(formulas_, {}, context.options.proofs, &context.allowance) {}

  void run() {
    collect();
    if (!lists_.empty() && charge_formulas(context_, context_.allowance)) {
      for (List& list : lists_) prove(list);
      for (const auto& [id, places] : checked_) check(id, places);
    }
    check_tested();
  }

 private:
  struct Place {
    const List* list;
    size_t rule;
  };

  bool is_own(sema::RuleId id) const { return context_.is_root(program_.rules.get(id).span.file); }

  void collect() {
    using Key = std::tuple<std::vector<sema::RuleId>, std::vector<sema::RuleId>,
                           std::optional<sema::RuleId>, bool>;
    std::map<Key, size_t> known;
    const auto add = [&](std::string whose, const sema::OrderTable& table,
                         const sema::Table* over) {
      if (std::ranges::none_of(table.rules, [&](sema::RuleId id) { return is_own(id); })) return;
      Key key{table.rules, {}, {}, over != nullptr};
      if (over != nullptr) {
        std::get<1>(key) = over->rules;
        std::get<2>(key) = over->otherwise;
      }
      const auto [at, added] = known.emplace(std::move(key), lists_.size());
      if (added) lists_.push_back({{}, {&program_, &table, over}});
      lists_[at->second].whose.push_back(std::move(whose));
    };
    for (const sema::SharedOrderTable& table : program_.shared_order_tables) {
      add("table " + table.name, table, nullptr);
    }
    for (uint32_t m = 0; m < program_.models.size(); ++m) {
      const sema::Model& model = program_.models.get({m});
      for (const sema::OrderTable& table : model.order_tables) {
        add(program_.title({m}), table, model.table(table.over));
      }
    }
  }

  void prove(List& list) {
    const std::vector<compare::LabelledNames> operations =
        compare::all_operations(formulas_, list.side, compare::labels_named(list.side));
    prove::ProofMemo* const memo = context_.options.proofs;
    std::optional<compare::OrderMemo> known;
    if (memo != nullptr) known.emplace(compare::OrderMemo{*memo, context_.allowance});
    list.alphabet = compare::order_alphabet(prover_, {&list.side, 1}, operations, known);
    order::ProofBudget budget;
    budget.stop = context_.options.stop;
    list.proofs = compare::prove_order(list.alphabet.blocks.front(), budget, memo);
    for (size_t i = 0; i < list.proofs.size(); ++i) {
      order::RuleProof& proof = list.proofs[i];
      if (!list.alphabet.complete && proof.verdict != order::Verdict::alive) {
        proof.verdict = order::Verdict::not_decided;
      }
      const sema::RuleId id = list.side.table->rules[i];
      if (is_own(id)) checked_[id].push_back({&list, i});
    }
  }

  static const order::RuleProof& proof(const Place& place) {
    return place.list->proofs[place.rule];
  }

  void check(sema::RuleId id, const std::vector<Place>& places) {
    const sema::Rule& rule = program_.rules.get(id);
    if (rule.chain && !check_steps(rule, places)) {
      dead_.insert(id);
      return;
    }
    std::vector<std::string> dead_in;
    const Place* covered = nullptr;
    bool not_decided = false;
    for (const Place& place : places) {
      const order::Verdict verdict = proof(place).verdict;
      not_decided |= verdict == order::Verdict::not_decided;
      if (verdict == order::Verdict::covered && covered == nullptr) covered = &place;
      if (verdict != order::Verdict::covered && verdict != order::Verdict::never_matches) continue;
      dead_in.insert(dead_in.end(), place.list->whose.begin(), place.list->whose.end());
    }
    if (not_decided) sink_.add(diag::code::not_proven, rule.span, rule.label);
    if (dead_in.empty()) return;
    const bool everywhere = std::ranges::all_of(places, [](const Place& place) {
      return proof(place).verdict == order::Verdict::covered ||
             proof(place).verdict == order::Verdict::never_matches;
    });
    if (everywhere) dead_.insert(id);
    if (!everywhere) {
      diag::Diagnostic& added =
          sink_.add(diag::code::unreachable_in_model, rule.span, rule.label, join(dead_in, ", "));
      if (covered != nullptr) explain(added, *covered);
    } else if (covered == nullptr) {
      sink_.add(diag::code::chain_never_matches, rule.span, rule.label)
          .help("no sequence of operations has such neighbours; remove the rule, or correct it");
    } else {
      diag::Diagnostic& added = sink_.add(diag::code::chain_covered, rule.span, rule.label);
      explain(added, *covered);
      added.help("remove it, or move it above the rules that label its operations");
    }
  }

  /// Names the rules that label what the rule could, and shows a sequence.
  void explain(diag::Diagnostic& diagnostic, const Place& place) {
    constexpr size_t shown = 4;
    const order::RuleProof& of = proof(place);
    for (size_t i = 0; i < of.covered_by.size(); ++i) {
      const sema::RuleId id = place.list->side.table->rules[of.covered_by[i]];
      const sema::Rule& by = program_.rules.get(id);
      if (i < shown) diagnostic.related(by.span, "`{}` labels such operations", by.label);
    }
    if (of.covered_by.size() > shown) {
      diagnostic.message +=
          fmt::format(" ({} more rules contribute)", of.covered_by.size() - shown);
    }
    if (of.witness) diagnostic.witness = sequence_text(place.list->alphabet, *of.witness);
  }

  /// False if a step that must be there is never taken, which is reported.
  bool check_steps(const sema::Rule& rule, const std::vector<Place>& places) {
    const sema::Chain& chain = *rule.chain;
    if (chain.steps.size() == 1) {
      sink_.add(diag::code::bracket_alone, chain.steps.front().span, rule.label)
          .help("write an ordinary rule, without brackets, or draw its neighbours");
    }
    bool can_match = true;
    for (size_t s = 0; s < chain.steps.size(); ++s) {
      const sema::ChainStep& step = chain.steps[s];
      if (step.repeated && is_any(step.expr)) {
        sink_.add(diag::code::any_repeated, step.span)
            .help("name the operations that may be between, or `ignore` the others");
      }
      const bool taken = std::ranges::any_of(places, [&](const Place& place) {
        const std::vector<uint64_t>& takes =
            place.list->alphabet.blocks.front().rules[place.rule].chain->takes;
        return !place.list->alphabet.complete ||
               std::ranges::any_of(takes, [&](uint64_t steps) { return (steps >> s & 1) != 0; });
      });
      if (taken || !is_passed_over(rule, step, places.front().list->side)) continue;
      diag::Diagnostic& added =
          sink_.add(diag::code::step_passed_over, step.span, context_.sources().text(step.span));
      added.related(program_.order_scopes.get(rule.scope).span, "in this block or table");
      added.help("chains do not see what is ignored or continued; remove the step");
      can_match &= step.optional;
    }
    return can_match;
  }

  bool is_any(sema::ExprId id) const {
    const sema::Expr& expr = program_.exprs.get(id);
    return expr.op == sema::ExprOp::disjunction &&
           std::ranges::all_of(expr.operands,
                               [&](sema::ExprId operand) {
                                 return program_.exprs.get(operand).op == sema::ExprOp::operation;
                               }) &&
           expr.operands.size() == std::size(operation_kinds);
  }

  /// Whether some operation is what the step wants, and `ignore` or `continue` match all of these.
  bool is_passed_over(const sema::Rule& rule, const sema::ChainStep& step,
                      const compare::OrderSide& side) {
    if (!rule.scope.valid()) return false;
    const sema::OrderScope& scope = program_.order_scopes.get(rule.scope);
    std::vector<std::string> labels = compare::labels_named(side);
    labels.emplace_back();
    bool any = false;
    for (const std::string& label : labels) {
      const auto with_label = [&](sema::ExprId expr) {
        return compare::formula_with_label(formulas_, program_, expr, label);
      };
      const prove::FormulaId wanted = with_label(step.expr);
      const prove::FormulaId passed[] = {with_label(scope.ignore), with_label(scope.continues)};
      if (!prover_.find(wanted, passed).none()) return false;
      any = any || prover_.find(wanted).found();
    }
    return any;
  }

  /// Order rules of files with an engine that decide for no operation of a test that expects their
  /// label.
  void check_tested() {
    std::set<sema::RuleId> untested;
    for (const sema::Model& model : program_.models) {
      for (const sema::OrderTable& table : model.order_tables) {
        for (const sema::RuleId id : table.rules) {
          const source::FileId file = program_.rules.get(id).span.file;
          if (is_own(id) && context_.has_engine(context_.rules().files[file.index])) {
            untested.insert(id);
          }
        }
      }
    }
    if (untested.empty()) return;
    for (const testing::TestOutcome& one : testing::run_tests(context_.compiled, context_.tests)) {
      for (const sema::RuleId id : one.rules) untested.erase(id);
    }
    for (const sema::RuleId id : untested) {
      if (dead_.contains(id)) continue;
      const sema::Rule& rule = program_.rules.get(id);
      const std::string& dimension = program_.dimensions.get(rule.dimension).name;
      diag::Diagnostic& added =
          sink_.add(diag::code::chain_without_test, rule.span, dimension, rule.label);
      added.help("write a test of operations that follow each other: `{} => {} {}`",
                 rule.chain ? "\"name\" > \"name\"" : "\"name\"", dimension, rule.label);
      const auto checked = checked_.find(id);
      if (checked == checked_.end()) continue;
      for (const Place& place : checked->second) {
        if (place.list->side.over == nullptr || proof(place).verdict != order::Verdict::alive)
          continue;
        added.witness = sequence_text(place.list->alphabet, *proof(place).witness);
        break;
      }
    }
  }

  const Context& context_;
  const sema::Program& program_;
  diag::Sink& sink_;
  prove::Formulas formulas_;
  prove::Prover prover_;
  std::vector<List> lists_;
  std::map<sema::RuleId, std::vector<Place>> checked_;  // rules of root files
  std::set<sema::RuleId> dead_;                         // of these, those that label nothing
};

}  // namespace

void check_chains(const Context& context, diag::Sink& sink) {
  Chains(context, sink).run();
}

}  // namespace kr::lint
