// `kr why`: the rules that give a name its labels, and those that match it too.
#include <fmt/format.h>

#include <string>

#include "base/join.hpp"
#include "cost/costed_run.hpp"
#include "tables/definition.hpp"
#include "tables/explanation.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

std::string text_of_spans(const classify::WhyOutcome& outcome) {
  std::string text;
  for (const auto& [begin, end] : outcome.spans) {
    text += fmt::format("{}{}-{}", text.empty() ? "" : ",", begin, end);
  }
  return text;
}

/// Calls `row(dimension, outcome's number, outcome)` for each.
template <class Row>
void for_each_outcome(const Source& source, const Row& row) {
  for (const classify::WhyDimension& dimension : source.explanation->dimensions) {
    const std::string& name = source.rules->program().dimensions.get(dimension.dimension).name;
    for (size_t i = 0; i < dimension.outcomes.size(); ++i) {
      row(name, static_cast<int64_t>(i), dimension.outcomes[i]);
    }
  }
}

void add_explanations(const Source& source, RowSink& sink) {
  for_each_outcome(source, [&](const std::string& dimension, int64_t number,
                               const classify::WhyOutcome& outcome) {
    std::string place, text;
    if (outcome.rule) {
      place = classify::rule_place(*source.rules, *outcome.rule);
      text = classify::rule_on_one_line(*source.rules, *outcome.rule);
    }
    const std::string spans = text_of_spans(outcome);
    const std::string condition = join(outcome.conditions, " and ");
    sink.row({dimension, number, outcome.label, table::cell_or_nothing(place),
              table::cell_or_nothing(text), table::cell_or_nothing(spans),
              table::cell_or_nothing(condition)});
  });
}

void add_explanation_alternatives(const Source& source, RowSink& sink) {
  for_each_outcome(source, [&](const std::string& dimension, int64_t number,
                               const classify::WhyOutcome& outcome) {
    for (const classify::WhyRule& also : outcome.also) {
      sink.row({dimension, number, also.label, classify::rule_place(*source.rules, also.rule)});
    }
  });
}

void add_explanation_costs(const Source& source, RowSink& sink) {
  int64_t number = 0;
  for (const sema::CostId id : source.explanation->costs) {
    const source::Span span = source.rules->program().costs.get(id).span;
    sink.row({number++, source.rules->sources().place(span),
              classify::on_one_line(*source.rules, span)});
  }
}

}  // namespace

const Definition explanations_table{
    {"explanations",
     "explanations",
     "One row per dimension and label that a name can get: the rule that gives it.",
     {
         {"dimension", Unit::text, Role::key, "The dimension."},
         {"outcome", Unit::id, Role::key,
          "The number of the label among those possible in the dimension, from 0; 0 is the usual "
          "one: the type of operation that the name shows, and no enclosing context."},
         {"label", Unit::text, Role::measure,
          "The label that the name gets; `unclassified` if no rule matches."},
         {"rule", Unit::text, Role::measure,
          "The file and line of the rule that gives the label; nothing if no rule matches.", true},
         {"rule_text", Unit::text, Role::detail,
          "The rule as written, on one line; nothing if there is none.", true},
         {"spans", Unit::text, Role::measure,
          "The bytes of the name that the texts of the rule match, as begin and end (exclusive), "
          "such as `3-7,9-12`; nothing if the rule matches without any.",
          true},
         {"condition", Unit::text, Role::measure,
          "What has to be true of the type of operation and of the enclosing context for this "
          "label; nothing if it is the only one.",
          true},
     }},
    needs<Explanation>,
    add_explanations};

const Definition explanation_alternatives_table{
    {"explanation_alternatives",
     "other rules that match",
     "One row per rule that matches a name too, but comes after the rule that gives the label.",
     {
         {"dimension", Unit::text, Role::key, "The dimension."},
         {"outcome", Unit::id, Role::key, "The number of the label, as in `explanations`."},
         {"label", Unit::text, Role::measure, "The label that this rule would give."},
         {"rule", Unit::text, Role::key, "The file and line of this rule."},
     }},
    needs<Explanation>,
    add_explanation_alternatives};

const Definition explanation_costs_table{
    {"explanation_costs",
     "clauses of costs",
     "One row per clause of a `cost` block that gives what an op of this name costs, if its "
     "arguments fit: the first that fits counts.",
     {
         {"clause", Unit::id, Role::key, "The place of the clause in the order tried, from 0."},
         {"place", Unit::text, Role::measure, "The file and line of the clause."},
         {"text", Unit::text, Role::detail, "The clause as written, on one line."},
     },
     false,
     false},
    needs<Explanation>,
    add_explanation_costs};

}  // namespace kr::tables
