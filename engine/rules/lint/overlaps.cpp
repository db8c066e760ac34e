// KR402: rules that are reached, but not for all their names. KR403: labels that two places give.
// Both are often intended, so they are reported only on request. KR414: where the search for KR402
// ends.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "lint/checks.hpp"
#include "prove/lists.hpp"

namespace kr::lint {
namespace {

using prove::EffectiveList;
using prove::FormulaId;
using prove::RuleListed;

class Overlaps {
 public:
  Overlaps(const Context& context, diag::Sink& sink)
      : context_(context),
        program_(context.program()),
        sink_(sink),
        allowance_(allowance_for(context.options, 8)),
        prover_(formulas_, budget, context.options.proofs, &allowance_) {}

  void run() {
    if (!charge_formulas(context_, allowance_)) return;
    const std::vector<EffectiveList> lists = effective_lists(program_, formulas_);
    for (const EffectiveList& list : lists) {
      for (size_t i = 0; i < list.rules.size(); ++i) {
        if (is_own(list.rules[i].rule)) find_partial(list, i);
      }
      find_split(list);
    }
  }

 private:
  const sema::Rule& rule(const RuleListed& one) const { return program_.rules.get(one.rule); }
  bool is_own(sema::RuleId id) const { return context_.is_root(program_.rules.get(id).span.file); }

  size_t shortest(FormulaId formula) {
    const auto known = shortest_.find(formula);
    if (known != shortest_.end()) return known->second;
    const prove::Finding finding = prover_.find(formula);
    const size_t size = finding.found() ? finding.witness.name.size() : 0;
    shortest_.emplace(formula, size);
    return size;
  }

  /// Some name contains any two texts, which means nothing. But if a shortest name of one rule also
  /// matches the other, the rules are related.
  void find_partial(const EffectiveList& list, size_t place) {
    const RuleListed& own = list.rules[place];
    for (size_t i = 0; i < place; ++i) {
      const RuleListed& other = list.rules[i];
      if (rule(other).label == rule(own).label) continue;
      if (pairs_.size() >= max_pairs) {
        if (!std::exchange(stopped_, true)) {
          sink_.add(diag::code::not_compared, rule(own).span, rule(own).label, max_pairs);
        }
        return;
      }
      if (!pairs_.insert({own.rule, other.rule}).second) continue;
      const FormulaId both = formulas_.all({own.formula, other.formula});
      const prove::Finding taken = prover_.find(both, list.above(i));
      if (!taken.found()) continue;
      if (taken.witness.name.size() > std::max(shortest(own.formula), shortest(other.formula))) {
        continue;
      }
      const prove::Finding left = prover_.find(own.formula, list.above(place));
      if (!left.found()) return;
      diag::Diagnostic& added =
          sink_.add(diag::code::partly_covered, rule(own).span, rule(own).label, rule(other).label,
                    to_string(taken.witness));
      added.related(rule(other).span, "`{}` matches {}", rule(other).label,
                    to_string(taken.witness));
      added.help("`{1}` still gets {0}; if this is intended, change nothing",
                 to_string(left.witness), rule(own).label);
      added.witness = taken.witness.name;
    }
  }

  /// A label with rules of other labels between its own, all in one file.
  void find_split(const EffectiveList& list) {
    std::unordered_map<std::string, size_t> last;
    for (size_t i = 0; i < list.rules.size(); ++i) {
      const sema::Rule& own = rule(list.rules[i]);
      const auto [at, first] = last.emplace(own.label, i);
      const size_t before = at->second;
      at->second = i;
      if (first || before + 1 == i) continue;
      const sema::Rule& earlier = rule(list.rules[before]);
      if (!is_own(list.rules[i].rule) || earlier.span.file != own.span.file) continue;
      if (!pairs_.insert({list.rules[i].rule, list.rules[i].rule}).second) continue;
      report_split(list, before, i);
    }
  }

  void report_split(const EffectiveList& list, size_t before, size_t place) {
    const sema::Rule& own = rule(list.rules[place]);
    diag::Diagnostic& added = sink_.add(diag::code::split_label, own.span, own.label);
    added.related(rule(list.rules[before]).span, "the previous rule of `{}`", own.label);
    std::vector<FormulaId> between;
    for (size_t i = before + 1; i < place; ++i) between.push_back(list.rules[i].formula);
    const FormulaId moved =
        formulas_.all({list.rules[place].formula, formulas_.any(std::move(between))});
    const prove::Finding finding = prover_.find(moved, list.above(before + 1));
    if (finding.found()) {
      added.help("if joined, they would match {} before a rule between them",
                 to_string(finding.witness));
      added.witness = finding.witness.name;
    } else if (finding.none()) {
      added.help("join them with `|`: no name would change its label");
    }
  }

  /// A small budget: nobody relies on these findings.
  static constexpr prove::Budget budget{.states = 3000, .within = 4};
  /// The maximum number of pairs of rules.
  static constexpr size_t max_pairs = 20000;

  const Context& context_;
  const sema::Program& program_;
  diag::Sink& sink_;
  prove::Formulas formulas_;
  prove::Allowance allowance_;
  prove::Prover prover_;
  std::unordered_map<FormulaId, size_t> shortest_;
  std::set<std::pair<sema::RuleId, sema::RuleId>> pairs_;
  bool stopped_ = false;
};

}  // namespace

void check_overlaps(const Context& context, diag::Sink& sink) {
  if (context.options.infos) Overlaps(context, sink).run();
}

}  // namespace kr::lint
