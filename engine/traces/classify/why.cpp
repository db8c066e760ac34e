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
    match::OpenSubject subject{.name = &name_, .kind = query_.kind, .within = std::nullopt};
    if (query_.within) subject.within = std::span<const match::AtomSet>(within_);
    const auto all = match::outcomes(program_, sources_, table, subject);
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

 private:
  WhyOutcome explain(const sema::Table& table, const match::Outcome& outcome, bool only) const {
    WhyOutcome out;
    out.label = sema::reserved::unclassified;
    out.rule = outcome.rule;
    out.conditions = outcome.conditions;
    if (outcome.rule) {
      const sema::Rule& rule = program_.rules.get(*outcome.rule);
      out.label = rule.keep ? query_.name : rule.label;
      if (rule.expr.valid()) out.spans = spans_of(rule.expr);
    }
    if (!only) return out;  // the other outcomes are listed instead
    for (const sema::RuleId id : match::later_matches(program_, table, usual_subject())) {
      out.also.push_back({program_.rules.get(id).label, id});
    }
    return out;
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
