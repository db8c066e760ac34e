#include "classify/why.hpp"

#include <algorithm>

#include "regex/nfa.hpp"

namespace kr::classify {
namespace {

using Spans = std::vector<std::pair<size_t, size_t>>;

Spans joined(Spans spans) {
  std::sort(spans.begin(), spans.end());
  Spans result;
  for (const auto& span : spans) {
    if (!result.empty() && span.first <= result.back().second) {
      result.back().second = std::max(result.back().second, span.second);
    } else {
      result.push_back(span);
    }
  }
  return result;
}

class Explainer {
 public:
  Explainer(const match::CompiledRules& rules, const WhyQuery& query)
      : program_(rules.program()),
        sources_(rules.sources()),
        query_(query),
        name_(program_.atoms.size()) {
    match::Scanner scanner(rules.database);
    scanner.scan(query.name, name_);
    if (query.within) {
      for (const std::string& text : *query.within) {
        scanner.scan(text, within_.emplace_back(program_.atoms.size()));
      }
    }
  }

  WhyDimension explain(const sema::Table& table) const {
    const auto all = match::outcomes(program_, sources_, table, open_subject());
    WhyDimension dimension{table.dimension, {}};
    for (const match::Outcome& outcome : all) {
      dimension.outcomes.push_back(explain(table, outcome, all.size() == 1));
    }
    // The usual case first: the kind by the name, and no context.
    const auto usual = match::TableMatcher(program_, table).match(usual_subject());
    std::stable_partition(dimension.outcomes.begin(), dimension.outcomes.end(),
                          [&](const WhyOutcome& outcome) { return outcome.rule == usual; });
    return dimension;
  }

  /// `known`: the dimensions that it can look at.
  WhyDimension explain_order(const sema::OrderTable& table,
                             const std::vector<WhyDimension>& known) const {
    const auto over = std::ranges::find(known, table.over, &WhyDimension::dimension);
    const auto subjects = subjects_labelled(table, over->outcomes);
    const auto is = [&](sema::ExprId expr, const match::OpenSubject& subject, match::Truth truth) {
      return expr.valid() && match::Condition(program_, expr).evaluate(subject) == truth;
    };
    const auto may = [&](sema::ExprId expr, const match::OpenSubject& subject) {
      return expr.valid() && !is(expr, subject, match::Truth::no);
    };
    WhyDimension dimension{table.dimension, {}};
    bool decided = false;
    for (const sema::RuleId id : table.rules) {
      const sema::Rule& rule = program_.rules.get(id);
      WhyOutcome out;
      out.label = rule.label;
      out.rule = id;
      const auto can_take = [&](const match::OpenSubject& subject) {
        if (!rule.chain) return may(rule.expr, subject);
        if (rule.scope.valid()) {
          const sema::OrderScope& scope = program_.order_scopes.get(rule.scope);
          if (is(scope.ignore, subject, match::Truth::yes) ||
              is(scope.continues, subject, match::Truth::yes)) {
            return false;
          }
        }
        const auto& steps = rule.chain->steps;
        return std::any_of(steps.begin() + rule.chain->first, steps.begin() + rule.chain->last + 1,
                           [&](const sema::ChainStep& step) { return may(step.expr, subject); });
      };
      if (std::ranges::none_of(subjects, can_take)) continue;
      if (rule.chain) {
        out.conditions.emplace_back("depends on neighbours");
        ++dimension.chains;
      } else {
        decided = std::ranges::all_of(subjects, [&](const match::OpenSubject& subject) {
          return is(rule.expr, subject, match::Truth::yes);
        });
        out.spans = spans_of(rule.expr);
        if (!decided) out.conditions.emplace_back("depends on type or context");
      }
      dimension.outcomes.push_back(std::move(out));
      if (decided) return dimension;
    }
    for (const sema::OrderScopeId scope : table.scopes) {
      const sema::ExprId continues = program_.order_scopes.get(scope).continues;
      dimension.continues |= std::ranges::any_of(
          subjects, [&](const match::OpenSubject& subject) { return may(continues, subject); });
    }
    add_otherwise(table, over->outcomes, dimension);
    return dimension;
  }

 private:
  match::OpenSubject open_subject() const {
    match::OpenSubject subject{.name = &name_, .kind = query_.kind, .within = std::nullopt};
    if (query_.within) subject.within = std::span<const match::AtomSet>(within_);
    return subject;
  }

  /// The name with each label that it can have in the dimension that order rules look at.
  std::vector<match::OpenSubject> subjects_labelled(const sema::OrderTable& table,
                                                    const std::vector<WhyOutcome>& labels) const {
    const std::string& dimension = program_.dimensions.get(table.over).name;
    std::vector<match::OpenSubject> subjects;
    for (const WhyOutcome& one : labels) {
      match::OpenSubject subject = open_subject();
      uint32_t index = 0;
      for (const sema::Word& word : program_.words) {
        if (word.dimension == dimension && word.label == one.label) {
          subject.word = sema::WordId{index};
        }
        ++index;
      }
      subjects.push_back(subject);
    }
    return subjects;
  }

  /// What a name gets that no order rule labels.
  void add_otherwise(const sema::OrderTable& table, const std::vector<WhyOutcome>& labels,
                     WhyDimension& dimension) const {
    WhyOutcome out;
    out.label = sema::reserved::unclassified;
    out.rule = table.otherwise;
    if (!dimension.outcomes.empty()) out.conditions.emplace_back("no other rule matches");
    if (!table.otherwise || !program_.rules.get(*table.otherwise).keep) {
      if (table.otherwise) out.label = program_.rules.get(*table.otherwise).label;
      dimension.outcomes.push_back(std::move(out));
      return;
    }
    for (const WhyOutcome& one : labels) {
      const auto same = [&](const WhyOutcome& other) {
        return other.label == one.label && other.rule == table.otherwise;
      };
      if (const auto kept = std::ranges::find_if(dimension.outcomes, same);
          kept != dimension.outcomes.end()) {
        kept->conditions = out.conditions;  // more than one way leads to it
        continue;
      }
      WhyOutcome& added = dimension.outcomes.emplace_back(out);
      added.label = one.label;
      added.conditions.insert(added.conditions.end(), one.conditions.begin(), one.conditions.end());
    }
  }

  WhyOutcome explain(const sema::Table& table, const match::Outcome& outcome, bool only) const {
    WhyOutcome out;
    out.label = sema::reserved::unclassified;
    out.rule = outcome.rule;
    out.conditions = outcome.conditions;
    if (outcome.rule) {
      const sema::Rule& rule = program_.rules.get(*outcome.rule);
      if (!rule.label.empty() || rule.keep) out.label = rule.keep ? query_.name : rule.label;
      if (rule.expr.valid()) out.spans = spans_of(rule.expr);
      add_refined(table, *outcome.rule, out);
      if (rule.image_of.valid()) {
        const sema::Rule& from = program_.rules.get(rule.image_of);
        out.image.push_back({from.keep ? query_.name : from.label, rule.image_of});
      }
    }
    if (!only) return out;  // the other outcomes are listed instead
    for (const sema::RuleId id : match::later_matches(program_, table, usual_subject())) {
      const bool known = std::ranges::any_of(
          out.refined, [id](const WhyRule& refined) { return refined.rule == id; });
      if (!known) out.also.push_back({program_.rules.get(id).label, id});
    }
    return out;
  }

  /// The rules that give the labels that a rule of a `refine` splits.
  void add_refined(const sema::Table& table, sema::RuleId rule, WhyOutcome& out) const {
    while (!program_.rules.get(rule).refines.empty()) {
      const std::string& label = program_.rules.get(rule).refines;
      std::optional<sema::RuleId> giver = table.otherwise;
      for (size_t i = table.rules.size(); i-- > 0;) {
        if (program_.rules.get(table.rules[i]).label != label) continue;
        const match::Condition condition(program_, table.expr(program_, i));
        if (condition.evaluate(open_subject()) != match::Truth::no) giver = table.rules[i];
      }
      if (!giver || *giver == rule || program_.rules.get(*giver).label != label) return;
      rule = *giver;
      out.refined.push_back({label, rule});
    }
  }

  match::Subject usual_subject() const {
    return {.name = &name_,
            .kind = query_.kind.value_or(operation_kind_of(query_.name)),
            .within = within_};
  }

  /// Of the atoms that can match the name: not those under `!` and `within`.
  Spans spans_of(sema::ExprId root) const {
    Spans spans;
    sema::each_part(program_, {root}, [&](const sema::Expr& expr) {
      if (expr.op == sema::ExprOp::atom && name_.has(expr.atom)) {
        const regex::Nfa automaton(program_.atoms.get(expr.atom).regex);
        for (const auto& match : automaton.find_all(query_.name)) {
          if (match.first != match.second) spans.push_back(match);
        }
      }
      return expr.op == sema::ExprOp::conjunction || expr.op == sema::ExprOp::disjunction;
    });
    return joined(std::move(spans));
  }

  const sema::Program& program_;
  const source::SourceMap& sources_;
  const WhyQuery& query_;
  match::AtomSet name_;
  std::vector<match::AtomSet> within_;
};

}  // namespace

std::vector<WhyDimension> why(const match::CompiledRules& rules, sema::ModelId model,
                              const WhyQuery& query) {
  const Explainer explainer(rules, query);
  std::vector<WhyDimension> dimensions;
  for (const sema::Table& table : rules.program().models.get(model).tables) {
    dimensions.push_back(explainer.explain(table));
  }
  for (const sema::OrderTable& table : rules.program().models.get(model).order_tables) {
    dimensions.push_back(explainer.explain_order(table, dimensions));
  }
  return dimensions;
}

std::string rule_place(const match::CompiledRules& rules, sema::RuleId rule) {
  const source::Span span = rules.program().rules.get(rule).span;
  return span.valid() ? rules.sources().place(span) : "built-in";
}

bool has_only_common_words(const match::CompiledRules& rules, sema::RuleId rule) {
  const sema::Program& program = rules.program();
  const sema::ExprId expr = program.rules.get(rule).expr;
  // The expression of a pattern is where the pattern is declared.
  const auto is_common_word = [&](sema::ExprId part) {
    const source::Span span = program.exprs.get(part).span;
    return span.valid() && rules.sources().path(span.file) == "stdlib/words.kr";
  };
  if (!expr.valid()) return false;
  const sema::Expr& whole = program.exprs.get(expr);
  return is_common_word(expr) ||
         (whole.op == sema::ExprOp::disjunction &&
          std::all_of(whole.operands.begin(), whole.operands.end(), is_common_word));
}

std::string rule_on_one_line(const match::CompiledRules& rules, sema::RuleId rule) {
  return on_one_line(rules, rules.program().rules.get(rule).span);
}

std::string on_one_line(const match::CompiledRules& rules, source::Span span) {
  std::string text;
  if (!span.valid()) return text;
  bool blank = false;
  for (const char c : rules.sources().text(span)) {
    const bool space = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (space && blank) continue;
    text += space ? ' ' : c;
    blank = space;
  }
  return text;
}

}  // namespace kr::classify
