// KR301, KR302, KR303, KR305, KR306, KR308, KR401, KR413: rules and alternatives that label nothing
// or everything. Proven for every list that contains the rule.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "lint/checks.hpp"
#include "match/evaluate.hpp"
#include "prove/lists.hpp"

namespace kr::lint {
namespace {

using prove::Alternative;
using prove::Answer;
using prove::EffectiveList;
using prove::FormulaId;
using prove::RuleListed;

/// The result for a rule in one list.
struct Verdict {
  const EffectiveList* list = nullptr;
  size_t place = 0;
  Answer reached = Answer::found;
  struct OfAlternative {
    bool dead = false;       // the rules above match all its names
    bool redundant = false;  // the rules above and other alternatives do
    bool not_proven = false;
  };
  std::vector<OfAlternative> alternatives;
};

class Reachability {
 public:
  Reachability(const Context& context, diag::Sink& sink)
      : context_(context),
        program_(context.program()),
        sink_(sink),
        prover_(formulas_, {}, context.options.proofs, &context.allowance) {}

  void run() {
    if (!charge_formulas(context_, context_.allowance)) return;
    lists_ = effective_lists(program_, formulas_);
    // Collect all languages first.
    for (uint32_t i = 0; i < program_.rules.size(); ++i) {
      const sema::Rule& rule = program_.rules.get({i});
      if (!rule.expr.valid() || rule.image_of.valid()) continue;
      if (!context_.is_root(rule.span.file)) continue;
      if (sema::has_labels(program_, rule.expr)) continue;  // of order rules: KR333, KR334
      checked_[{i}];
      alternatives_of_rule({i});
    }
    for (const sema::NamedPattern& pattern : program_.patterns) {
      if (pattern.expr.valid()) formulas_.of(program_, pattern.expr);
    }
    for (const EffectiveList& list : lists_) check(list);
    for (const auto& [id, verdicts] : checked_) report(id, verdicts);
    check_patterns();
    check_inner();
  }

 private:
  /// The formulas listed, and the rules compared or evaluated, in the time of one step; the steps
  /// for a formula of two rules.
  static constexpr size_t formulas_a_step = 256;
  static constexpr size_t rules_a_step = 16;
  static constexpr size_t steps_a_pair = 4;

  std::vector<Alternative> alternatives(sema::ExprId expr, source::Span place) {
    return alternatives_of(formulas_, program_, context_.sources(), expr, place);
  }

  /// The place of a rule's expression: after its label.
  source::Span place_of(const sema::Rule& rule) const {
    return {rule.span.file, rule.label_span.valid() ? rule.label_span.end : rule.span.begin,
            rule.span.end};
  }

  void check(const EffectiveList& list) {
    label_tests(list);
    for (size_t i = 0; i < list.rules.size(); ++i) {
      const auto at = checked_.find(list.rules[i].rule);
      if (at != checked_.end()) at->second.push_back(verdict(list, i));
    }
    check_rest(list);
  }

  /// Finds the rules of a list that label the file's own tests. A rule that has one is reached,
  /// without a search: most rules have a test.
  void label_tests(const EffectiveList& list) {
    labelled_.clear();
    if (list.outside.valid()) return;
    sema::Table table;
    for (const RuleListed& one : list.rules) table.rules.push_back(one.rule);
    const match::TableMatcher matcher(program_, table);
    for (size_t i = 0; i < context_.tests.size(); ++i) {
      const testing::TestSubject& subject = context_.tests[i];
      const auto rule = matcher.match(subject.subject());
      const sema::Test& test = program_.tests[i];
      if (rule) labelled_[*rule].push_back({test.name, subject.kind, true, test.within});
    }
  }

  Verdict verdict(const EffectiveList& list, size_t place) {
    const std::vector<Alternative>& alternatives = alternatives_of_rule(list.rules[place].rule);
    Verdict verdict{&list, place, Answer::found, {}};
    const std::vector<prove::Witness>& labelled = labelled_[list.rules[place].rule];
    if (is_used_up()) {  // listing the rules above each rule takes time, too
      if (labelled.empty()) verdict.reached = Answer::not_proven;
      verdict.alternatives.assign(alternatives.size(), {.not_proven = true});
      return verdict;
    }
    std::vector<FormulaId> taken = list.above(place);
    prover_.charge(place / formulas_a_step);
    if (labelled.empty()) {
      verdict.reached = prover_.find(list.rules[place].formula, taken).answer;
    }
    verdict.alternatives.resize(alternatives.size());
    if (verdict.reached == Answer::none) {
      for (Verdict::OfAlternative& one : verdict.alternatives) one.dead = true;
    }
    if (verdict.reached == Answer::none || alternatives.size() < 2) return verdict;
    const std::vector<Shown> shown = shown_by(labelled, alternatives);
    std::vector<FormulaId> others = taken;
    for (const Alternative& one : alternatives) others.push_back(one.formula);
    // In reverse order, so that of two equal alternatives the first one stays.
    for (size_t i = alternatives.size(); i-- > 0;) {
      Verdict::OfAlternative& one = verdict.alternatives[i];
      FormulaId& among_others = others[taken.size() + i];
      if (shown[i] == Shown::alone) continue;
      const Answer alone = shown[i] == Shown::with_others
                               ? Answer::found
                               : prover_.find(alternatives[i].formula, taken).answer;
      one.not_proven = alone == Answer::not_proven;
      one.dead = alone == Answer::none;
      if (one.not_proven) continue;
      among_others = formulas_.never();
      if (one.dead) continue;
      one.redundant = prover_.find(alternatives[i].formula, others).none();
      if (!one.redundant) among_others = alternatives[i].formula;
    }
    return verdict;
  }

  /// No question is answered any more.
  bool is_used_up() {
    if (context_.allowance.is_used_up()) context_.allowance.set_ran_out();
    return context_.allowance.is_used_up();
  }

  enum class Shown : char { no, with_others, alone };
  /// Which alternatives match tests that the rule labels; alone: a test that no other matches.
  std::vector<Shown> shown_by(const std::vector<prove::Witness>& labelled,
                              const std::vector<Alternative>& alternatives) {
    std::vector<Shown> shown(alternatives.size(), Shown::no);
    std::vector<size_t> matching;
    for (const prove::Witness& witness : labelled) {
      matching.clear();
      for (size_t i = 0; i < alternatives.size(); ++i) {
        if (prover_.holds(alternatives[i].formula, witness)) matching.push_back(i);
      }
      for (const size_t i : matching) {
        shown[i] = std::max(shown[i], matching.size() == 1 ? Shown::alone : Shown::with_others);
      }
    }
    return shown;
  }

  /// An `otherwise` that no name reaches.
  void check_rest(const EffectiveList& list) {
    if (!list.otherwise || list.rules.empty()) return;
    const sema::Rule& rule = program_.rules.get(*list.otherwise);
    if (!context_.is_root(rule.span.file)) return;
    Rest& rest = rests_[*list.otherwise];
    const std::vector<FormulaId> above = list.above(list.rules.size());
    (prover_.find(formulas_.always(), above).none() ? rest.dead : rest.alive) = true;
  }

  void report(sema::RuleId id, const std::vector<Verdict>& verdicts) {
    const sema::Rule& rule = program_.rules.get(id);
    const FormulaId formula = formulas_.of(program_, rule.expr);
    if (report_constant(formula, rule.span, fmt::format("rule `{}`", rule.label))) return;
    if (verdicts.empty()) return;
    std::vector<const Verdict*> dead;
    bool not_proven = false;
    std::set<const EffectiveList*> alive;  // a list contains a table twice if it includes it twice
    for (const Verdict& verdict : verdicts) {
      if (verdict.reached != Answer::none) alive.insert(verdict.list);
    }
    for (const Verdict& verdict : verdicts) {
      if (!alive.contains(verdict.list)) dead.push_back(&verdict);
      not_proven |= verdict.reached == Answer::not_proven;
      for (const auto& one : verdict.alternatives) not_proven |= one.not_proven;
    }
    if (not_proven) sink_.add(diag::code::not_proven, rule.span, rule.label);
    if (dead.size() == verdicts.size()) {
      report_dead(rule, *dead.front());
    } else if (!dead.empty()) {
      diag::Diagnostic& added =
          sink_.add(diag::code::unreachable_in_model, rule.span, rule.label, whose(dead));
      explain(added, formula, *dead.front());
    }
    if (dead.size() < verdicts.size())
      report_alternatives(rule, alternatives_of_rule(id), verdicts);
  }

  static std::string whose(const std::vector<const Verdict*>& verdicts) {
    std::string text;
    const EffectiveList* last = nullptr;
    for (const Verdict* verdict : verdicts) {
      if (verdict->list != last) text += (text.empty() ? "" : ", ") + verdict->list->whose;
      last = verdict->list;
    }
    return text;
  }

  void report_dead(const sema::Rule& rule, const Verdict& verdict) {
    const FormulaId formula = formulas_.of(program_, rule.expr);
    diag::Diagnostic& added =
        add_dead(diag::code::unreachable_rule, formula, rule, rule.span, verdict);
    if (rule.doc.empty() && !is_refined(rule.label)) {
      added.fix = diag::Fix{true, {removal(context_.sources(), rule.span)}};
    }
    if (added.code == diag::code::unreachable_rule.info())
      add_choices(added, formula, rule, verdict);
  }

  /// Moves the rule above the first one that matches a name of it, or removes it: which of the two
  /// was meant is not known.
  void add_choices(diag::Diagnostic& added, FormulaId formula, const sema::Rule& rule,
                   const Verdict& verdict) {
    for (size_t i = 0; i < verdict.place && !is_used_up(); ++i) {
      const RuleListed& one = verdict.list->rules[i];
      const sema::Rule& above = program_.rules.get(one.rule);
      if (above.label == rule.label) continue;
      prover_.charge(steps_a_pair);
      if (!prover_.find(formulas_.all({formula, one.formula})).found()) continue;
      const syntax::File& tree = context_.rules().files[rule.span.file.index].tree;
      if (above.span.file != rule.span.file) return;
      auto move = move_above(context_.sources(), tree, rule.span, above.span);
      if (!move) return;
      move->title = fmt::format("move it above `{}`", above.label);
      added.choices.push_back(std::move(*move));
      break;
    }
    if (added.choices.empty() || !added.fix) return;
    added.choices.push_back(*added.fix);
    added.choices.back().title = "remove it";
  }

  /// Whether a `refine` splits the label: without the last of its rules there is nothing to split.
  bool is_refined(const std::string& label) const {
    bool found = false;
    for (const sema::LoadedFile& file : context_.rules().files) {
      each_rule_list(file.tree, [&](const std::vector<syntax::Rule>& rules) {
        found |= std::ranges::any_of(rules, [&](const syntax::Rule& rule) {
          return rule.kind == syntax::RuleKind::refine && rule.label.text == label;
        });
      });
    }
    return found;
  }

  /// Reports a rule or alternative whose names all match rules above: as a conflict if one of them
  /// is equal and gives another label, otherwise as unreachable.
  diag::Diagnostic& add_dead(const diag::Code<1>& unreachable, FormulaId formula,
                             const sema::Rule& rule, source::Span span, const Verdict& verdict) {
    const EffectiveList& list = *verdict.list;
    const FormulaId outside[] = {list.outside};
    if (list.outside.valid() && prover_.find(formula, outside).none()) {
      diag::Diagnostic& added =
          sink_.add(diag::code::refines_nothing, span, rule.refines, std::string(text_of(span)));
      set_witness(added, formula);
      added.help("remove it, or refine the label that these names have");
      return added;
    }
    prover_.charge(verdict.place / rules_a_step);
    for (size_t i = 0; i < verdict.place && !is_used_up(); ++i) {
      const sema::Rule& other = program_.rules.get(list.rules[i].rule);
      if (other.label == rule.label) continue;
      for (const Alternative& one : alternatives_of_rule(list.rules[i].rule)) {
        if (one.formula != formula) continue;
        diag::Diagnostic& added =
            sink_.add(diag::code::conflicting_duplicate, span, rule.label, other.label);
        added.related(one.place, "`{}` matches it here", other.label);
        set_witness(added, formula);
        added.help("keep the intended one");
        return added;
      }
    }
    const bool whole = span == rule.span;
    diag::Diagnostic& added =
        sink_.add(unreachable, span, whole ? rule.label : std::string(text_of(span)));
    explain(added, formula, verdict);
    added.help("remove it, or move it above the rules that match its names");
    return added;
  }

  std::string text_of(source::Span span) const {
    constexpr size_t shown = 60;
    std::string_view text = context_.sources().text(span);
    return text.size() <= shown ? std::string(text) : std::string(text.substr(0, shown)) + "…";
  }

  /// The alternatives of any rule, in a root file or not.
  const std::vector<Alternative>& alternatives_of_rule(sema::RuleId id) {
    const auto [at, added] = alternatives_.try_emplace(id);
    const sema::Rule& rule = program_.rules.get(id);
    if (added) at->second = alternatives(rule.expr, place_of(rule));
    return at->second;
  }

  void set_witness(diag::Diagnostic& diagnostic, FormulaId formula) {
    const prove::Finding finding = prover_.find(formula);
    if (finding.found()) diagnostic.witness = witness_text(finding.witness);
  }

  static std::string witness_text(const prove::Witness& witness) {
    const bool name = !witness.kind_matters && witness.within.empty() && witness.around.empty();
    return name ? witness.name : to_string(witness);
  }

  /// Lists the rules that together match all names of a formula, each with an example.
  void explain(diag::Diagnostic& diagnostic, FormulaId formula, const Verdict& verdict) {
    constexpr size_t shown = 4;
    std::vector<FormulaId> matching;
    size_t more = 0;
    while (true) {
      const prove::Finding finding = prover_.find(formula, matching);
      if (!finding.found()) break;
      if (matching.empty()) diagnostic.witness = witness_text(finding.witness);
      const RuleListed* first = nullptr;
      size_t evaluated = 0;
      for (size_t i = 0; i < verdict.place && first == nullptr; ++i) {
        const RuleListed& one = verdict.list->rules[i];
        if (prover_.holds(one.formula, finding.witness)) first = &one;
        ++evaluated;
      }
      prover_.charge(evaluated / rules_a_step);
      if (first == nullptr && verdict.list->outside.valid()) {
        matching.push_back(verdict.list->outside);
        continue;
      }
      KR_CHECK(first != nullptr);  // otherwise the proof that it is dead was wrong
      matching.push_back(first->formula);
      if (matching.size() > shown) {
        ++more;
        continue;
      }
      diagnostic.related(place_matching(first->rule, finding.witness), "`{}` matches {}",
                         program_.rules.get(first->rule).label, to_string(finding.witness));
    }
    if (more > 0) diagnostic.message += fmt::format(" ({} more rules contribute)", more);
  }

  source::Span place_matching(sema::RuleId id, const prove::Witness& witness) {
    for (const Alternative& one : alternatives_of_rule(id)) {
      if (prover_.holds(one.formula, witness)) return one.place;
    }
    return program_.rules.get(id).span;
  }

  void report_alternatives(const sema::Rule& rule, const std::vector<Alternative>& alternatives,
                           const std::vector<Verdict>& verdicts) {
    for (size_t i = 0; i < alternatives.size(); ++i) {
      const Alternative& one = alternatives[i];
      if (alternatives.size() < 2) return;
      reported_.insert({one.place.file.index, one.place.begin});
      if (report_never(one.formula, one.place)) continue;
      const auto all = [&](auto holds) {
        return std::ranges::all_of(
            verdicts, [&](const Verdict& verdict) { return holds(verdict.alternatives[i]); });
      };
      if (all([](const auto& of) { return of.dead; })) {
        diag::Diagnostic& added = add_dead(diag::code::unreachable_alternative, one.formula, rule,
                                           one.place, verdicts.front());
        if (one.cut) added.fix = diag::Fix{true, {*one.cut}};
      } else if (all([](const auto& of) { return of.dead || of.redundant; })) {
        std::vector<const Alternative*> others;
        const Verdict& verdict = *std::ranges::find_if(
            verdicts, [](const Verdict& one) { return one.reached != Answer::none; });
        for (size_t j = 0; j < alternatives.size(); ++j) {
          const auto& of = verdict.alternatives[j];
          if (j != i && !of.dead && !of.redundant) others.push_back(&alternatives[j]);
        }
        report_redundant(one, others, verdict.list->above(verdict.place));
      }
    }
  }

  /// Reports that `others` and the rules above (`taken`) match all names of `one`.
  void report_redundant(const Alternative& one, const std::vector<const Alternative*>& others,
                        std::vector<FormulaId> taken) {
    diag::Diagnostic& added =
        sink_.add(diag::code::redundant_alternative, one.place, text_of(one.place));
    while (true) {
      const prove::Finding finding = prover_.find(one.formula, taken);
      if (!finding.found()) break;
      if (!added.witness) added.witness = witness_text(finding.witness);
      const auto other = std::ranges::find_if(others, [&](const Alternative* other) {
        return prover_.holds(other->formula, finding.witness);
      });
      KR_CHECK(other != others.end());  // otherwise the proof was wrong
      taken.push_back((*other)->formula);
      added.related((*other)->place, "this also matches {}", to_string(finding.witness));
    }
    added.help("remove it");
    if (one.cut) added.fix = diag::Fix{true, {*one.cut}};
  }

  /// Reports a formula that is always or never true.
  bool report_constant(FormulaId formula, source::Span span, const std::string& what) {
    if (report_never(formula, span)) return true;
    const FormulaId excluded[] = {formula};
    if (!prover_.find(formulas_.always(), excluded).none()) return false;
    sink_.add(diag::code::always_holds, span, what)
        .help("for names that no other rule matches, write `LABEL: otherwise`");
    return true;
  }

  bool report_never(FormulaId formula, source::Span span) {
    if (!prover_.find(formula).none()) return false;
    sink_.add(diag::code::never_holds, span, text_of(span)).help("no name can match it; remove it");
    return true;
  }

  void check_patterns() {
    for (const sema::NamedPattern& pattern : program_.patterns) {
      if (!pattern.expr.valid()) continue;
      report_constant(formulas_.of(program_, pattern.expr), pattern.span,
                      fmt::format("pattern `{}`", pattern.name));
    }
    for (const auto& [id, rest] : rests_) {
      if (rest.alive || !rest.dead) continue;
      const sema::Rule& rule = program_.rules.get(id);
      sink_.add(diag::code::unreachable_rule, rule.span, rule.keep ? "otherwise keep" : rule.label)
          .help("the rules above it match every name");
    }
  }

  /// Compares alternatives of patterns, and those inside `&`, `!` and `within`, with their
  /// siblings.
  void check_inner() {
    // The outermost first: parts are before the expressions that contain them.
    for (auto i = static_cast<uint32_t>(program_.exprs.size()); i-- > 0;) {
      const sema::Expr& expr = program_.exprs.get({i});
      if (expr.op != sema::ExprOp::disjunction || !context_.is_root(expr.span.file)) continue;
      if (expr.places.empty()) continue;              // not written
      if (sema::has_labels(program_, {i})) continue;  // of order rules
      const std::vector<Alternative> all = alternatives({i}, expr.span);
      std::vector<FormulaId> formulas;  // of those that stay; `never` for the others
      formulas.reserve(all.size());
      for (const Alternative& one : all) formulas.push_back(one.formula);
      for (size_t k = all.size(); k-- > 0;) {
        if (!reported_.insert({all[k].place.file.index, all[k].place.begin}).second) continue;
        formulas[k] = formulas_.never();
        if (report_never(all[k].formula, all[k].place)) continue;
        if (!prover_.find(all[k].formula, formulas).none()) {
          formulas[k] = all[k].formula;
          continue;
        }
        std::vector<const Alternative*> others;
        for (size_t j = 0; j < all.size(); ++j) {
          if (formulas[j] != formulas_.never()) others.push_back(&all[j]);
        }
        report_redundant(all[k], others, {});
      }
    }
  }

  struct Rest {
    bool dead = false;  // no name reaches it in some list
    bool alive = false;
  };

  const Context& context_;
  const sema::Program& program_;
  diag::Sink& sink_;
  prove::Formulas formulas_;
  prove::Prover prover_;
  std::vector<EffectiveList> lists_;
  std::map<sema::RuleId, std::vector<Verdict>> checked_;  // rules of root files, by list
  std::map<sema::RuleId, std::vector<Alternative>> alternatives_;
  std::map<sema::RuleId, std::vector<prove::Witness>> labelled_;  // tests, in the list in work
  std::map<sema::RuleId, Rest> rests_;
  std::set<std::pair<uint32_t, uint32_t>> reported_;  // places of checked alternatives
};

}  // namespace

void check_reachability(const Context& context, diag::Sink& sink) {
  Reachability(context, sink).run();
}

}  // namespace kr::lint
