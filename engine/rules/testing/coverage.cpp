#include "testing/coverage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "match/evaluate.hpp"
#include "match/scanner.hpp"
#include "prove/lists.hpp"
#include "syntax/words.hpp"

namespace kr::testing {
namespace {

using prove::Alternative;
using prove::EffectiveList;

class Collector {
 public:
  Collector(const match::CompiledRules& rules, std::span<const TestOutcome> outcomes,
            std::span<const RealName> real)
      : rules_(rules),
        program_(rules.program()),
        outcomes_(outcomes),
        real_(real),
        prover_(formulas_) {}

  Coverage collect() && {
    lists_ = prove::effective_lists(program_, formulas_);
    label_real();
    for (const EffectiveList& list : lists_) {
      if (!list.model) continue;
      for (const prove::RuleListed& listed : list.rules) add(listed.rule);
      if (list.otherwise) add(*list.otherwise);
    }
    for (const sema::Model& model : program_.models) {
      for (const sema::OrderTable& table : model.order_tables) {
        for (const sema::RuleId rule : table.rules) add(rule, true);
      }
    }
    for (const TestOutcome& outcome : outcomes_) {
      for (const sema::RuleId rule : outcome.rules) reach(rule, program_.tests[outcome.test]);
    }
    Coverage coverage;
    for (const auto& [id, one] : rules_of_files_) add_to(coverage, id, one);
    for (const Shared& one : shared_) add_to(coverage, one);
    std::ranges::sort(coverage.unreached, [](const Unreached& a, const Unreached& b) {
      return std::pair(a.place.file, a.place.begin) < std::pair(b.place.file, b.place.begin);
    });
    return coverage;
  }

 private:
  struct Covered {
    std::vector<Alternative> alternatives;  // empty for `otherwise`
    std::vector<char> reached;              // by alternative
    std::vector<size_t> shared;             // alternatives of its patterns: indices of shared_
    bool any = false;
  };

  /// An alternative of a named pattern.
  struct Shared {
    Alternative alternative;
    std::vector<sema::RuleId> rules;
    bool reached = false;
  };

  /// Which real names each rule labels, by list.
  void label_real() {
    real_by_rule_.resize(lists_.size());
    if (real_.empty()) return;
    match::Scanner scanner(rules_.database);
    std::vector<match::AtomSet> scanned(real_.size());
    for (size_t i = 0; i < real_.size(); ++i) scanner.scan(real_[i].name, scanned[i]);
    for (size_t list = 0; list < lists_.size(); ++list) {
      if (!lists_[list].model) continue;
      sema::Table table;
      for (const prove::RuleListed& one : lists_[list].rules) table.rules.push_back(one.rule);
      table.otherwise = lists_[list].otherwise;
      const match::TableMatcher matcher(program_, table);
      for (size_t i = 0; i < real_.size(); ++i) {
        const auto rule = matcher.match({.name = &scanned[i], .kind = real_[i].kind, .within = {}});
        if (rule) real_by_rule_[list][*rule].push_back(i);
      }
    }
  }

  /// The first real name that the rule labels by the alternative, if one is asked for.
  std::optional<prove::Witness> real_name(size_t list, sema::RuleId rule,
                                          const Alternative* alternative) {
    const auto at = real_by_rule_[list].find(rule);
    if (at == real_by_rule_[list].end()) return std::nullopt;
    for (const size_t i : at->second) {
      prove::Witness witness;
      witness.name = real_[i].name;
      witness.kind = real_[i].kind;
      witness.kind_matters = operation_kind_of(witness.name) != witness.kind;
      if (alternative == nullptr || prover_.holds(alternative->formula, witness)) return witness;
    }
    return std::nullopt;
  }

  bool is_root(source::FileId file) const { return rules_.rules->files[file.index].root; }

  /// Rules of neighbours are not divided: their expressions say nothing of a name alone.
  void add(sema::RuleId id, bool of_order = false) {
    const sema::Rule& rule = program_.rules.get(id);
    if (!is_root(rule.span.file) || !rule.dimension.valid() || rules_of_files_.contains(id)) {
      return;
    }
    Covered& one = rules_of_files_[id];
    if (rule.expr.valid() && !of_order) {
      const source::Span place{rule.span.file, rule.label_span.end, rule.span.end};
      one.alternatives = alternatives_at(rule.expr, place);
      std::set<sema::ExprId> seen;
      add_patterns(rule.expr, place, seen, one.shared);
      for (const size_t i : one.shared) shared_[i].rules.push_back(id);
    }
    one.reached.assign(one.alternatives.size(), 0);
  }

  std::vector<Alternative> alternatives_at(sema::ExprId expr, source::Span place) {
    return prove::alternatives_of(formulas_, program_, rules_.sources(), expr, place);
  }

  /// Adds the alternatives of named patterns that the expression at `place` is or contains.
  void add_patterns(sema::ExprId id, source::Span place, std::set<sema::ExprId>& seen,
                    std::vector<size_t>& all) {
    const sema::Expr& expr = program_.exprs.get(id);
    if (!prove::lies_in(expr.span, place)) {
      if (!expr.span.valid() || !is_root(expr.span.file) || !seen.insert(id).second) return;
      const auto [known, added] = patterns_.try_emplace(id);
      if (added) {
        std::vector<Alternative> own = alternatives_at(id, expr.span);
        if (own.size() < 2) own.clear();
        for (Alternative& one : own) {
          known->second.push_back(shared_.size());
          shared_.push_back({std::move(one), {}, false});
        }
      }
      all.insert(all.end(), known->second.begin(), known->second.end());
    }
    if (expr.op != sema::ExprOp::disjunction || expr.places.size() != expr.operands.size()) return;
    for (size_t i = 0; i < expr.operands.size(); ++i) {
      add_patterns(expr.operands[i], expr.places[i], seen, all);
    }
  }

  void reach(sema::RuleId id, const sema::Test& test) {
    const auto at = rules_of_files_.find(id);
    if (at == rules_of_files_.end()) return;
    Covered& one = at->second;
    one.any = true;
    prove::Witness subject;
    subject.name = test.name;
    subject.kind = test.kind.value_or(operation_kind_of(test.name));
    subject.within = test.within;
    for (size_t i = 0; i < one.alternatives.size(); ++i) {
      char& reached = one.reached[i];
      if (reached == 0 && prover_.holds(one.alternatives[i].formula, subject)) reached = 1;
    }
    for (const size_t i : one.shared) {
      Shared& shared = shared_[i];
      if (!shared.reached) shared.reached = prover_.holds(shared.alternative.formula, subject);
    }
  }

  void add_to(Coverage& coverage, sema::RuleId id, const Covered& one) {
    const sema::Rule& rule = program_.rules.get(id);
    ++coverage.rules;
    coverage.rules_reached += one.any ? 1 : 0;
    const size_t alternatives = std::max<size_t>(one.alternatives.size(), 1);
    coverage.alternatives += alternatives;
    if (alternatives == 1) {
      coverage.alternatives_reached += one.any ? 1 : 0;
      if (!one.any) coverage.unreached.push_back(unreached(id, rule.span, nullptr));
      return;
    }
    for (size_t i = 0; i < alternatives; ++i) {
      coverage.alternatives_reached += one.reached[i] != 0 ? 1 : 0;
      if (one.reached[i] != 0) continue;
      const Alternative& alternative = one.alternatives[i];
      coverage.unreached.push_back(unreached(id, alternative.place, &alternative));
    }
  }

  void add_to(Coverage& coverage, const Shared& one) {
    ++coverage.alternatives;
    if (one.reached) {
      ++coverage.alternatives_reached;
      return;
    }
    Unreached result;
    for (const sema::RuleId rule : one.rules) {
      result = unreached(rule, one.alternative.place, &one.alternative);
      if (!result.test.empty()) break;
    }
    coverage.unreached.push_back(std::move(result));
  }

  /// With a test for the first model in which a subject reaches the rule.
  Unreached unreached(sema::RuleId id, source::Span where, const Alternative* alternative) {
    const sema::Rule& rule = program_.rules.get(id);
    Unreached result{id, where, alternative == nullptr, {}, {}, false};
    const auto take = [&](const EffectiveList& list, const prove::Witness& witness) {
      result.whose = program_.title(*list.model);
      result.test =
          fmt::format("{} => {} {}", to_string(witness),
                      program_.dimensions.get(rule.dimension).name, written_label(rule, witness));
    };
    for (size_t i = 0; i < lists_.size(); ++i) {
      if (!lists_[i].model) continue;
      const auto real = real_name(i, id, alternative);
      if (!real) continue;
      take(lists_[i], *real);
      result.is_real = true;
      return result;
    }
    for (const EffectiveList& list : lists_) {
      if (!list.model) continue;
      size_t place = 0;
      while (place < list.rules.size() && list.rules[place].rule != id) ++place;
      if (place == list.rules.size() && list.otherwise != id) continue;
      const prove::FormulaId wanted = alternative != nullptr      ? alternative->formula
                                      : place < list.rules.size() ? list.rules[place].formula
                                                                  : formulas_.always();
      const prove::Finding finding = prover_.find(wanted, list.above(place));
      // A test cannot have the empty name.
      if (!finding.found() || finding.witness.name.empty()) continue;
      take(list, finding.witness);
      break;
    }
    return result;
  }

  static std::string written_label(const sema::Rule& rule, const prove::Witness& witness) {
    return rule.keep ? syntax::quoted_text(witness.name) : syntax::label_text(rule.label);
  }

  const match::CompiledRules& rules_;
  const sema::Program& program_;
  std::span<const TestOutcome> outcomes_;
  std::span<const RealName> real_;
  std::vector<std::map<sema::RuleId, std::vector<size_t>>> real_by_rule_;  // by list: in `real_`
  prove::Formulas formulas_;
  prove::Prover prover_;
  std::vector<EffectiveList> lists_;
  std::map<sema::RuleId, Covered> rules_of_files_;
  std::vector<Shared> shared_;
  std::unordered_map<sema::ExprId, std::vector<size_t>> patterns_;  // indices of `shared_`
};

}  // namespace

Coverage coverage_of(const match::CompiledRules& rules, std::span<const TestOutcome> outcomes,
                     std::span<const RealName> real) {
  return Collector(rules, outcomes, real).collect();
}

}  // namespace kr::testing
