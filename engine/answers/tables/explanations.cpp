// `kr why`: the rules that give a name its labels, and those that match it too.
#include <fmt/format.h>

#include <string>

#include "base/join.hpp"
#include "cost/costed_run.hpp"
#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/explanation.hpp"
#include "tables/scoped.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using classify::WhyOutcome;

std::string text_of_spans(const WhyOutcome& outcome) {
  std::string text;
  for (const auto& [begin, end] : outcome.spans) {
    text += fmt::format("{}{}-{}", text.empty() ? "" : ",", begin, end);
  }
  return text;
}

/// Of a name, or of an operation with its neighbours.
struct OneOutcome {
  std::optional<int64_t> operation;
  std::string_view dimension;
  int64_t number = 0;
  const WhyOutcome& outcome;
};

/// A label of an operation, with the order rules that match it, too.
WhyOutcome outcome_of(const sema::Program& program, const classify::WhySequence& sequence,
                      const classify::WhySequence::Explained& explained, size_t dimension) {
  const auto& label =
      sequence.operation(static_cast<order::Place>(explained.at))->labels[dimension];
  WhyOutcome outcome;
  outcome.label = label.label;
  outcome.rule = label.rule;
  const sema::Model& model = program.models.get(sequence.model);
  if (dimension < model.tables.size()) return outcome;
  const sema::OrderTable& table = model.order_tables[dimension - model.tables.size()];
  outcome.conditions.emplace_back("depends on neighbours");
  const order::OperationExplained& one = explained.dimensions[dimension - model.tables.size()];
  for (size_t i = 0; i < one.rules.size(); ++i) {
    if (one.rules[i].outcome != order::Outcome::also_matches) continue;
    outcome.also.push_back({program.rules.get(table.rules[i]).label, table.rules[i]});
  }
  return outcome;
}

template <class Row>
void for_each_outcome(const Source& source, const Row& row) {
  const sema::Program& program = source.rules->program();
  const auto name = [&](sema::DimensionId id) -> const std::string& {
    return program.dimensions.get(id).name;
  };
  for (const classify::WhyDimension& dimension : source.explanation->dimensions) {
    for (size_t i = 0; i < dimension.outcomes.size(); ++i) {
      row(OneOutcome{
          {}, name(dimension.dimension), static_cast<int64_t>(i), dimension.outcomes[i]});
    }
  }
  if (!source.explanation->sequence) return;
  const classify::WhySequence& sequence = *source.explanation->sequence;
  for (const classify::WhySequence::Explained& explained : sequence.explained) {
    for (size_t i = 0; i < sequence.dimensions.size(); ++i) {
      const WhyOutcome outcome = outcome_of(program, sequence, explained, i);
      row(OneOutcome{static_cast<int64_t>(explained.at), name(sequence.dimensions[i]), 0, outcome});
    }
  }
}

struct ExplanationRow : Parts<WhyOutcome> {
  std::optional<int64_t> operation;
  std::string_view dimension;
  int64_t number;
  std::string_view place;
  std::string_view text;
  std::string_view spans;
  std::string_view condition;
};

void add_explanations(const Source& source, Rows<ExplanationRow>& rows) {
  for_each_outcome(source, [&](const OneOutcome& one) {
    const WhyOutcome& outcome = one.outcome;
    std::string place, text;
    if (outcome.rule) {
      place = classify::rule_place(*source.rules, *outcome.rule);
      text = classify::rule_on_one_line(*source.rules, *outcome.rule);
    }
    const std::string spans = text_of_spans(outcome);
    const std::string condition = join(outcome.conditions, " and ");
    rows.add({{outcome}, one.operation, one.dimension, one.number, place, text, spans, condition});
  });
}

struct AlternativeRow : Parts<classify::WhyRule> {
  std::optional<int64_t> operation;
  std::string_view dimension;
  int64_t number;
  std::string place;
};

void add_explanation_alternatives(const Source& source, Rows<AlternativeRow>& rows) {
  for_each_outcome(source, [&](const OneOutcome& one) {
    for (const classify::WhyRule& also : one.outcome.also) {
      rows.add({{also},
                one.operation,
                one.dimension,
                one.number,
                classify::rule_place(*source.rules, also.rule)});
    }
  });
}

struct ExplanationCostRow {
  int64_t number;
  std::string place;
  std::string text;
};

void add_explanation_costs(const Source& source, Rows<ExplanationCostRow>& rows) {
  int64_t number = 0;
  for (const sema::CostId id : source.explanation->costs) {
    const source::Span span = source.rules->program().costs.get(id).span;
    rows.add({number++, source.rules->sources().place(span),
              classify::on_one_line(*source.rules, span)});
  }
}

void add_explanation_tools(const Source& source, Rows<NextTool>& rows) {
  for (const NextTool& one : source.explanation->tools) rows.add(one);
}

}  // namespace

const Definition explanations_part = TableOf<ExplanationRow>{
    {"explanations",
     "explanations",
     "One row per dimension and label that a name can get: the rule that gives it.",
     {{head::the_dimension, &ExplanationRow::dimension},
      {"outcome", Unit::id, Role::key,
       "The number of the label among those possible in the dimension, from 0; 0 is the usual "
       "one: the type of operation that the name shows, and no enclosing context.",
       &ExplanationRow::number},
      {"label", Unit::text, Role::measure,
       "The label that the name gets; `unclassified` if no rule matches.", &WhyOutcome::label},
      {"rule", Unit::text, Role::measure,
       "The file and line of the rule that gives the label; nothing if no rule matches.",
       &ExplanationRow::place, optional},
      {"rule_text", Unit::text, Role::detail,
       "The rule as written, on one line; nothing if there is none.", &ExplanationRow::text,
       optional},
      {"spans", Unit::text, Role::measure,
       "The bytes of the name that the texts of the rule match, as begin and end (exclusive), "
       "such as `3-7,9-12`; nothing if the rule matches without any.",
       &ExplanationRow::spans, optional},
      {"condition", Unit::text, Role::measure,
       "What has to be true of the type of operation and of the enclosing context for this "
       "label; `depends on neighbours` of order rules; nothing if it is the only one.",
       &ExplanationRow::condition, optional},
      {"operation", Unit::id, Role::key,
       "Of operations with their neighbours: its number on its stream, from 0; nothing of a name.",
       &ExplanationRow::operation, optional}}},
    needs<Explanation>,
    add_explanations};

const Definition explanation_alternatives_part = TableOf<AlternativeRow>{
    {"explanation_alternatives",
     "other rules that match",
     "One row per rule that matches a name too, but comes after the rule that gives the label.",
     {{head::the_dimension, &AlternativeRow::dimension},
      {"outcome", Unit::id, Role::key, "The number of the label, as in `explanations`.",
       &AlternativeRow::number},
      {"label", Unit::text, Role::measure, "The label that this rule would give.",
       &classify::WhyRule::label},
      {"rule", Unit::text, Role::key, "The file and line of this rule.", &AlternativeRow::place},
      {"operation", Unit::id, Role::key,
       "Of operations with their neighbours: its number on its stream, from 0; nothing of a name.",
       &AlternativeRow::operation, optional}}},
    needs<Explanation>,
    add_explanation_alternatives};

const Definition explanation_costs_part = TableOf<ExplanationCostRow>{
    {"explanation_costs",
     "clauses of costs",
     "One row per clause of a `cost` block that gives what an op of this name costs, if its "
     "arguments fit: the first that fits counts.",
     {{"clause", Unit::id, Role::key, "The place of the clause in the order tried, from 0.",
       &ExplanationCostRow::number},
      {"place", Unit::text, Role::measure, "The file and line of the clause.",
       &ExplanationCostRow::place},
      {"text", Unit::text, Role::detail, "The clause as written, on one line.",
       &ExplanationCostRow::text}},
     false,
     false},
    needs<Explanation>,
    add_explanation_costs};

const Definition explanation_tools_part = TableOf<NextTool>{
    {"explanation_tools",
     "looking closer",
     "One row per tool that looks closer at one operation of a trace, with its command.",
     {{"tool", Unit::text, Role::key, "`ncu`, `nsys`, or `pytorch`, which replays the op.",
       &NextTool::tool},
      {"command", Unit::text, Role::measure,
       "The command, for a POSIX shell; `PROGRAM` stands for that of the trace. Nothing if there "
       "is none.",
       &NextTool::command, optional},
      {"note", Unit::text, Role::measure, "What it counts on, or why there is none.",
       &NextTool::note}},
     false,
     false},
    needs<Explanation>,
    add_explanation_tools};

const Definition explanations_table =
    scoped("explanations", "explanations",
           "One row per label that a name can get, per other rule that matches it, per clause that "
           "gives its cost, and per tool that looks closer at an operation.",
           {{.part = explanations_part, .name = "label", .key = "dimension"},
            {.part = explanation_alternatives_part, .name = "alternative", .key = "dimension"},
            {.part = explanation_costs_part, .name = "cost", .key = "clause"},
            {.part = explanation_tools_part, .name = "tool", .key = "tool"}});

}  // namespace kr::tables
