// kr why: which rule labels a name, and which others would have.
#include "classify/why.hpp"

#include <memory>

#include "base/error.hpp"
#include "outputs.hpp"
#include "overview/why_text.hpp"
#include "session.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

struct WhyOptions {
  std::string name;
  std::string engine;
  std::string model;
  std::string kind;
  std::vector<std::string> within;
  bool has_within = false;
  OutputOptions outputs;
  RulesOptions rules;
};

const OutputRules& why_outputs() {
  static const OutputRules rules{.stem = "explanations",
                                 .tables = {"explanations", "explanation_alternatives"},
                                 .without = {"table"},
                                 .to_terminal = {"table"}};
  return rules;
}

/// The engine and model as a trace of this one operation would get them.
classify::Choice choose(const match::CompiledRules& rules, const WhyOptions& options,
                        OperationKind kind) {
  trace::TraceBuilder builder("", "");
  const trace::NameId name = builder.name(options.name, kind);
  builder.add({.start_ns = 0, .duration_ns = 1, .name = name, .track = builder.track({})});
  const trace::Trace trace = std::move(builder).finish();
  const classify::ChooseOptions choose{options.engine, options.model, rules.named};
  return classify::choose_model(
      rules.database, classify::TraceSubjects(rules.program(), rules.database, trace, choose),
      choose);
}

Exit why(const WhyOptions& options, Streams& streams) {
  Outputs outputs(options.outputs, why_outputs());
  const match::CompiledRules rules = compile_rules(options.rules, streams);
  classify::WhyQuery query{.name = options.name, .kind = std::nullopt, .within = std::nullopt};
  if (!options.kind.empty()) {
    query.kind =
        operation_kind_from(parse_choice(options.kind, "--kind", {"kernel", "memcpy", "memset"}));
  }
  if (options.has_within) query.within = options.within;

  const classify::Choice choice =
      choose(rules, options, query.kind.value_or(operation_kind_of(options.name)));
  const tables::Explanation explanation{options.name, rules.program().title(choice.model),
                                        choice.why, kr::classify::why(rules, choice.model, query)};
  tables::Source source;
  source.rules = &rules;
  source.explanation = &explanation;
  const auto own = [&](const std::string& format, auto /*tables*/) -> Outputs::Writer {
    if (format != "table" || outputs.tables_named()) return nullptr;
    return [&](const auto& out) {
      out(overview::why_text(rules, explanation, {streams.color_out()}));
    };
  };
  outputs.finish(source, own, streams);
  return Exit::done;
}

Action setup_why(CLI::App& app) {
  auto options = std::make_shared<WhyOptions>();
  app.add_option("NAME", options->name, "Name of an operation, quoted for the shell")->required();
  app.add_option("--engine", options->engine, "Engine (default: detected from the name)");
  app.add_option("--model", options->model, "Model (default: detected from the name)");
  app.add_option("--kind", options->kind, "kernel, memcpy or memset (default: all)")
      ->type_name("KIND");
  CLI::Option* within =
      app.add_option(
             "--within", options->within,
             "Names of enclosing modules and ranges, outermost first; `--within \"\"`: none")
          ->type_name("TEXT")
          ->expected(0, -1);
  options->outputs.add_to(app, why_outputs());
  options->rules.add_to(app);
  return [options, within](Streams& streams) {
    options->has_within = within->count() > 0;
    std::erase(options->within, "");
    return why(*options, streams);
  };
}

}  // namespace

extern const Verb why_verb;
const Verb why_verb{"why", "show which rule labels a name, and why",
                    "kr why flash_fwd_splitkv_kernel --engine vllm --model llama", setup_why,
                    "Results"};

}  // namespace kr::cli
