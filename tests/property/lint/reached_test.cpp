// What lint says of rules and alternatives that are never reached, against trying all short names,
// and against the scanner that labels traces.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "lint/lint.hpp"
#include "match/evaluate.hpp"
#include "prove/lists.hpp"
#include "support/patterns.hpp"
#include "support/rounds.hpp"
#include "testing/testing.hpp"

using namespace kr;

namespace {

class RuleTexts {
 public:
  explicit RuleTexts(std::mt19937& random) : random_(random) {}

  /// An engine and a model, whose rules are alternatives of many kinds.
  std::string rules() {
    std::string text = "pattern p = " + expression() + "\nengine e {\n  substage {\n";
    for (unsigned i = 3 + below(4); i > 0; --i) text += rule();
    if (below(3) > 0) text += "    rest: otherwise\n";
    text += "  }\n  model m {\n    substage {\n";
    for (unsigned i = 1 + below(2); i > 0; --i) text += rule();
    return text + "    }\n  }\n}\n";
  }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  std::string rule() { return fmt::format("    {}: {}\n", "abcd"[below(4)], expression()); }

  std::string expression() {
    std::string text = alternative();
    for (unsigned i = below(4); i > 0; --i) text += " | " + alternative();
    return text;
  }

  std::string alternative() {
    switch (below(12)) {
      case 0:
        return atom() + " & " + atom();
      case 1:
        return atom() + " & !" + atom();
      case 2:
        return "@memcpy & " + atom();
      case 3:
        return "(" + atom() + " | !@memcpy & " + atom() + ")";
      case 4:
        return "within " + atom();
      default:
        return atom();
    }
  }

  std::string atom() {
    while (true) {
      const std::string pattern = test::random_pattern(random_, static_cast<int>(below(4)));
      if (!test::parsed(pattern)) continue;
      const bool text = pattern.find_first_not_of("abA-") == pattern.npos;
      return text ? fmt::format("\"{}\"", pattern) : fmt::format("/{}/", pattern);
    }
  }

  std::mt19937& random_;
};

/// One ruleset, its findings, and the rule of each short name.
class Case {
 public:
  explicit Case(const std::string& text) : text_(text), prover_(formulas_) {
    diag::Sink loaded;
    rules_ = load(text, loaded);
    findings_ = lint::lint_rules(rules_, {}, loaded);
    lists_ = prove::effective_lists(program(), formulas_);
    for (const prove::EffectiveList& list : lists_) {
      if (!list.model || !is_substage(list)) continue;
      for (const prove::RuleListed& one : list.rules) {
        const sema::Rule& rule = program().rules.get(one.rule);
        const source::Span place{rule.span.file, rule.label_span.end, rule.span.end};
        auto& alternatives = alternatives_[one.rule];
        alternatives = alternatives_of(formulas_, program(), rules_.sources(), rule.expr, place);
      }
    }
  }

  size_t beyond() const { return beyond_; }
  size_t told() const { return told_; }

  void check(const std::vector<std::string>& names) {
    for (const prove::EffectiveList& list : lists_) {
      if (list.model && is_substage(list)) check_names(list, names);
    }
    check_rules();
    check_reasons();
  }

 private:
  static match::CompiledRules load(const std::string& text, diag::Sink& sink) {
    auto rules = sema::load_rules({{"test.kr", text, true, {}}}, sink);
    REQUIRE_MESSAGE(!sink.has_errors(), sink.all().front().message);
    return lint::compile_for_lint(std::move(rules), false, std::nullopt, sink);
  }

  const sema::Program& program() const { return rules_.program(); }

  bool is_substage(const prove::EffectiveList& list) const {
    return !list.rules.empty() &&
           program().dimensions.get(program().rules.get(list.rules[0].rule).dimension).name ==
               "substage";
  }

  bool told_of(const diag::CodeInfo* code, source::Span span) const {
    return std::any_of(findings_.begin(), findings_.end(), [&](const diag::Diagnostic& one) {
      return one.code == code && one.span == span;
    });
  }

  /// Whether lint reports that no name reaches this; `some`: in some model.
  bool told_unreached(source::Span span, bool some = false) const {
    return told_of(diag::code::unreachable_rule.info(), span) ||
           told_of(diag::code::never_holds.info(), span) ||
           told_of(diag::code::conflicting_duplicate.info(), span) ||
           told_of(diag::code::unreachable_alternative.info(), span) ||
           (some && told_of(diag::code::unreachable_in_model.info(), span));
  }

  std::optional<sema::RuleId> winner(const prove::EffectiveList& list,
                                     const prove::Witness& subject) {
    match::Scanner scanner(rules_.database);
    testing::TestSubject scanned;
    scanner.scan(subject.name, scanned.name);
    scanned.kind = subject.kind;
    for (const std::string& outer : subject.within) {
      scanner.scan(outer, scanned.within.emplace_back());
    }
    const sema::DimensionId dimension = program().rules.get(list.rules[0].rule).dimension;
    const sema::Table* table = program().models.get(*list.model).table(dimension);
    REQUIRE(table != nullptr);
    return match::TableMatcher(program(), *table).match(scanned.subject());
  }

  /// Checks that no short name reaches what is reported as unreached, and that another alternative
  /// matches every name of an alternative that is reported as redundant.
  void check_names(const prove::EffectiveList& list, const std::vector<std::string>& names) {
    match::Scanner scanner(rules_.database);
    const sema::DimensionId dimension = program().rules.get(list.rules[0].rule).dimension;
    const match::TableMatcher matcher(program(),
                                      *program().models.get(*list.model).table(dimension));
    std::set<sema::RuleId> reached;
    match::AtomSet outer(program().atoms.size());
    scanner.scan("ab", outer);
    for (const std::string& name : names) {
      testing::TestSubject subject;
      subject.name = match::AtomSet(program().atoms.size());
      scanner.scan(name, subject.name);
      for (const bool around : {false, true}) {
        if (around) subject.within.push_back(outer);
        for (const OperationKind kind : {OperationKind::kernel, OperationKind::memcpy}) {
          subject.kind = kind;
          const auto rule = matcher.match(subject.subject());
          if (!rule || program().rules.get(*rule).otherwise) continue;
          reached.insert(*rule);
          prove::Witness witness;
          witness.name = name;
          witness.kind = kind;
          if (around) witness.within.emplace_back("ab");
          check_winner(*rule, witness);
        }
      }
    }
    for (const prove::RuleListed& one : list.rules) {
      const sema::Rule& rule = program().rules.get(one.rule);
      CAPTURE(rules_.sources().text(rule.span));
      if (reached.contains(one.rule)) {
        REQUIRE(!told_unreached(rule.span));
      } else if (!told_unreached(rule.span, true)) {
        ++beyond_;
      }
    }
  }

  void check_winner(sema::RuleId id, const prove::Witness& witness) {
    const auto& alternatives = alternatives_[id];
    if (alternatives.size() < 2) return;
    bool kept = false;
    for (const prove::Alternative& one : alternatives) {
      if (!prover_.holds(one.formula, witness)) continue;
      CAPTURE(rules_.sources().text(one.place));
      CAPTURE(to_string(witness));
      REQUIRE(!told_unreached(one.place));
      kept |= !told_of(diag::code::redundant_alternative.info(), one.place);
    }
    REQUIRE(kept);
  }

  /// Each rule of each list is reported as unreached, or the scanner finds a name for it.
  void check_rules() {
    for (const prove::EffectiveList& list : lists_) {
      if (!list.model || !is_substage(list)) continue;
      for (size_t i = 0; i < list.rules.size(); ++i) {
        const sema::Rule& rule = program().rules.get(list.rules[i].rule);
        CAPTURE(list.whose);
        CAPTURE(rules_.sources().text(rule.span));
        REQUIRE(!told_of(diag::code::not_proven.info(), rule.span));
        const prove::Finding finding = prover_.find(list.rules[i].formula, list.above(i));
        REQUIRE(finding.answer != prove::Answer::not_proven);
        if (finding.found()) {
          CAPTURE(to_string(finding.witness));
          REQUIRE(winner(list, finding.witness) == list.rules[i].rule);
          REQUIRE(!told_unreached(rule.span));
        } else if (!told_of(diag::code::always_holds.info(), rule.span)) {
          REQUIRE(told_unreached(rule.span, true));
        }
      }
    }
  }

  /// Checks that the names in messages have the reported labels.
  void check_reasons() {
    struct Reason {
      source::Span span;  // of what takes the name
      bool redundant = false;
      std::string test;
    };
    std::vector<Reason> reasons;
    for (const diag::Diagnostic& one : findings_) {
      const bool redundant = one.code == diag::code::redundant_alternative.info();
      if (!redundant && one.code != diag::code::unreachable_rule.info() &&
          one.code != diag::code::unreachable_alternative.info() &&
          one.code != diag::code::unreachable_in_model.info()) {
        continue;
      }
      ++told_;
      for (const diag::Related& related : one.related_) {
        const std::string_view said = related.message;
        const std::string_view head = redundant ? "this also matches " : "` matches ";
        const size_t at = said.find(head);
        REQUIRE(at != said.npos);
        const std::string_view name = said.substr(at + head.size());
        reasons.push_back({related.span, redundant, std::string(name)});
      }
    }
    // A test cannot have the empty name.
    std::erase_if(reasons,
                  [](const Reason& one) { return one.test.find("\"\"") != std::string::npos; });
    // Which label is expected is of no interest.
    const std::string& label = program().rules.get(alternatives_.begin()->first).label;
    std::string text = text_ + "test e {\n";
    for (const Reason& one : reasons) text += fmt::format("{} => substage {}\n", one.test, label);
    diag::Sink sink;
    const match::CompiledRules tested = load(text + "}\n", sink);
    std::vector<char> confirmed(reasons.size(), 0);
    for (const testing::TestOutcome& outcome : testing::run_tests(tested)) {
      const Reason& reason = reasons[outcome.test];
      if (reason.redundant || outcome.rules.empty()) continue;
      const source::Span span = tested.program().rules.get(outcome.rules[0]).span;
      if (prove::lies_in(reason.span, span)) confirmed[outcome.test] = 1;
    }
    for (size_t i = 0; i < reasons.size(); ++i) {
      CAPTURE(reasons[i].test);
      CAPTURE(rules_.sources().text(reasons[i].span));
      if (!reasons[i].redundant) {
        REQUIRE(confirmed[i] == 1);
        continue;
      }
      const sema::Test& test = tested.program().tests[i];
      prove::Witness witness;
      witness.name = test.name;
      witness.kind = test.kind.value_or(operation_kind_of(test.name));
      witness.within = test.within;
      REQUIRE(holds_at(reasons[i].span, witness));
    }
  }

  bool holds_at(source::Span place, const prove::Witness& witness) {
    for (uint32_t i = 0; i < program().exprs.size(); ++i) {
      const sema::Expr& expr = program().exprs.get({i});
      if (expr.op != sema::ExprOp::disjunction && expr.op != sema::ExprOp::atom) continue;
      for (const prove::Alternative& one :
           alternatives_of(formulas_, program(), rules_.sources(), {i}, expr.span)) {
        if (one.place == place && prover_.holds(one.formula, witness)) return true;
      }
    }
    return false;
  }

  std::string text_;
  match::CompiledRules rules_;
  std::vector<diag::Diagnostic> findings_;
  prove::Formulas formulas_;
  prove::Prover prover_;
  std::vector<prove::EffectiveList> lists_;
  std::map<sema::RuleId, std::vector<prove::Alternative>> alternatives_;
  size_t beyond_ = 0;  // rules that no short name reaches and a longer does
  size_t told_ = 0;
};

}  // namespace

TEST_CASE("a rule is reported as unreached, or the scanner finds a name for it; reports are true") {
  std::mt19937 random(29);
  const std::vector<std::string> names = test::small_names(3);
  RuleTexts texts(random);
  size_t beyond = 0;
  size_t told = 0;
  // An alternative is compared with itself, too: found in round 1.
  const uint64_t rounds = test::rounds(60, 1);
  for (uint64_t round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const std::string text = texts.rules();
    CAPTURE(text);
    Case one(text);
    one.check(names);
    beyond += one.beyond();
    told += one.told();
  }
  // Both happen, or nothing is shown.
  CHECK(beyond > 0);
  CHECK(told > 5 * rounds);
}
