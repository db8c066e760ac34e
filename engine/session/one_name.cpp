#include "session/one_name.hpp"

#include "session/session.hpp"

namespace kr::session {
namespace {

trace::Trace trace_of(std::string_view name, OperationKind kind) {
  trace::TraceBuilder builder("", "");
  const trace::NameId id = builder.name(name, kind);
  builder.add({.start_ns = 0, .duration_ns = 1, .name = id, .track = builder.track({})});
  return std::move(builder).finish();
}

}  // namespace

OneName::OneName(const match::CompiledRules& rules, std::string_view name, OperationKind kind,
                 std::string_view engine, std::string_view model)
    : trace_(trace_of(name, kind)),
      options_{std::string(engine), std::string(model), rules.named},
      subjects_(rules.program(), rules.database, trace_, options_),
      choice_(classify::choose_model(rules.database, subjects_, options_)) {}

std::string OneName::label(sema::DimensionId dimension) const {
  const classify::Labelled labelled = classify::classify(subjects_, choice_.model);
  const classify::DimensionLabels* labels = labelled.find(dimension);
  return std::string(labels != nullptr ? labels->by_row[0].label : sema::reserved::unclassified);
}

const tables::Explanation& Session::explain(const NameQuery& asked) {
  const match::CompiledRules& rules = *source_.rules;
  const classify::WhyQuery& query = asked.query;
  const OneName one(rules, query.name, query.kind.value_or(operation_kind_of(query.name)),
                    asked.engine, asked.model);
  const classify::Choice& choice = one.choice();
  explanation_ = {query.name, rules.program().title(choice.model), choice.why,
                  classify::why(rules, choice.model, query)};
  source_.explanation = &*explanation_;
  return *explanation_;
}

}  // namespace kr::session
