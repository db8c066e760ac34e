// What rules say of one name.
#include "match/costs.hpp"
#include "session/session.hpp"
#include "session/state.hpp"
#include "tables/explanation.hpp"

namespace kr::session {
namespace {

trace::Trace trace_of(std::string_view name, OperationKind kind) {
  trace::TraceBuilder builder("", "");
  const trace::NameId id = builder.name(name, kind);
  builder.add({.start_ns = 0, .duration_ns = 1, .name = id, .track = builder.track({})});
  return std::move(builder).finish();
}

}  // namespace

LabelledName label_name(const match::CompiledRules& rules, std::string_view name,
                        OperationKind kind, const classify::ChooseOptions& options,
                        std::optional<sema::DimensionId> dimension) {
  const trace::Trace trace = trace_of(name, kind);
  const classify::TraceSubjects subjects(rules.program(), rules.database, trace, options);
  LabelledName one{classify::choose_model(rules.database, subjects, options), {}, {}};
  if (!dimension) return one;
  const classify::Labelled labelled = classify::classify(subjects, one.choice.model);
  const classify::DimensionLabels* labels = labelled.find(*dimension);
  if (labels == nullptr) {
    one.label = sema::reserved::unclassified;
    return one;
  }
  one.label = labels->by_row[0].label;
  one.rule = labels->by_row[0].rule;
  return one;
}

const tables::Explanation& Session::explain(const NameQuery& query) {
  const match::CompiledRules& rules = *state_->source.rules;
  const classify::WhyQuery of_name{query.name, operation_kind_from(query.kind), query.within};
  const classify::Choice choice =
      label_name(rules, query.name, of_name.kind.value_or(operation_kind_of(query.name)),
                 {query.engine, query.model, rules.named})
          .choice;
  state_->explanation = {
      query.name, rules.program().title(choice.model), choice.why,
      classify::why(rules, choice.model, of_name),
      match::CostTable(rules.program(), rules.database, choice.model).named(query.name)};
  state_->source.explanation = &*state_->explanation;
  return *state_->explanation;
}

}  // namespace kr::session
