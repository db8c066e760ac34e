#include "testing/coverage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "prove/alternatives.hpp"
#include "prove/lists.hpp"

namespace kr {
namespace {

using prove::Alternative;
using prove::EffectiveList;

class Collector {
 public:
  Collector(const CompiledRules& rules, std::span<const TestOutcome> outcomes)
      : rules_(rules), program_(rules.program()), outcomes_(outcomes), prover_(formulas_) {}

  Coverage collect() && {
    lists_ = prove::effective_lists(program_, formulas_);
    for (const EffectiveList& list : lists_) {
      if (!list.model) continue;
      for (const prove::RuleListed& listed : list.rules) add(listed.rule);
      if (list.otherwise) add(*list.otherwise);
    }
    for (const TestOutcome& outcome : outcomes_) {
      for (const RuleId rule : outcome.rules) reach(rule, program_.tests[outcome.test]);
    }
    Coverage coverage;
    for (const auto& [id, one] : rules_of_files_) tell(id, one, coverage);
    std::sort(coverage.unreached.begin(), coverage.unreached.end(),
              [](const Unreached& a, const Unreached& b) {
                return std::pair(a.place.file, a.place.begin) <
                       std::pair(b.place.file, b.place.begin);
              });
    return coverage;
  }

 private:
  struct Covered {
    std::vector<Alternative> alternatives;  // empty for `otherwise`
    std::vector<char> reached;              // by alternative
    bool any = false;
  };

  void add(RuleId id) {
    const Rule& rule = program_.rules.get(id);
    const bool root = rules_.rules->files[rule.span.file.index].root;
    if (!root || !rule.dimension.valid() || rules_of_files_.contains(id)) return;
    Covered& one = rules_of_files_[id];
    if (rule.expr.valid()) {
      const Span place{rule.span.file, rule.label_span.end, rule.span.end};
      one.alternatives =
          prove::alternatives_of(formulas_, program_, rules_.sources(), rule.expr, place);
    }
    one.reached.assign(one.alternatives.size(), 0);
  }

  void reach(RuleId id, const Test& test) {
    const auto at = rules_of_files_.find(id);
    if (at == rules_of_files_.end()) return;
    at->second.any = true;
    prove::Witness subject;
    subject.name = test.name;
    subject.kind = test.kind.value_or(operation_kind_of(test.name));
    subject.within = test.within;
    for (size_t i = 0; i < at->second.alternatives.size(); ++i) {
      char& reached = at->second.reached[i];
      if (reached == 0 && prover_.holds(at->second.alternatives[i].formula, subject)) reached = 1;
    }
  }

  void tell(RuleId id, const Covered& one, Coverage& coverage) {
    const Rule& rule = program_.rules.get(id);
    ++coverage.rules;
    coverage.rules_reached += one.any ? 1 : 0;
    const size_t alternatives = std::max<size_t>(one.alternatives.size(), 1);
    coverage.alternatives += alternatives;
    if (alternatives == 1) {
      coverage.alternatives_reached += one.any ? 1 : 0;
      if (!one.any) coverage.unreached.push_back({id, rule.span, true, test_for(id, nullptr)});
      return;
    }
    for (size_t i = 0; i < alternatives; ++i) {
      coverage.alternatives_reached += one.reached[i] != 0 ? 1 : 0;
      if (one.reached[i] != 0) continue;
      const Alternative& alternative = one.alternatives[i];
      coverage.unreached.push_back({id, alternative.place, false, test_for(id, &alternative)});
    }
  }

  /// A test in the first model where the rule can be reached so.
  std::string test_for(RuleId id, const Alternative* alternative) {
    const Rule& rule = program_.rules.get(id);
    for (const EffectiveList& list : lists_) {
      if (!list.model) continue;
      size_t place = 0;
      while (place < list.rules.size() && list.rules[place].rule != id) ++place;
      if (place == list.rules.size() && list.otherwise != id) continue;
      const prove::FormulaId wanted = alternative != nullptr      ? alternative->formula
                                      : place < list.rules.size() ? list.rules[place].formula
                                                                  : formulas_.always();
      const prove::Finding finding = prover_.find(wanted, list.above(place));
      // A test cannot speak of the empty name.
      if (!finding.found() || finding.witness.name.empty()) continue;
      return fmt::format("test {} {{ {} => {} {} }}", program_.title(*list.model),
                         to_string(finding.witness), program_.dimensions.get(rule.dimension).name,
                         written_label(rule, finding.witness));
    }
    return {};
  }

  static std::string written_label(const Rule& rule, const prove::Witness& witness) {
    const std::string& label = rule.keep ? witness.name : rule.label;
    const bool plain = !label.empty() && std::all_of(label.begin(), label.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_' || c == '-';
    });
    if (plain && !rule.keep) return label;
    prove::Witness quoted;
    quoted.name = label;
    return to_string(quoted);
  }

  const CompiledRules& rules_;
  const Program& program_;
  std::span<const TestOutcome> outcomes_;
  prove::Formulas formulas_;
  prove::Prover prover_;
  std::vector<EffectiveList> lists_;
  std::map<RuleId, Covered> rules_of_files_;
};

}  // namespace

Coverage coverage_of(const CompiledRules& rules, std::span<const TestOutcome> outcomes) {
  return Collector(rules, outcomes).collect();
}

}  // namespace kr
