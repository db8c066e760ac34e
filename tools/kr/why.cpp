// kr why: which rule labels a name, and which others would have.
#include "classify/why.hpp"

#include <memory>

#include "base/error.hpp"
#include "export/views.hpp"
#include "outputs.hpp"
#include "overview/overview.hpp"
#include "session.hpp"
#include "tables/explanation.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

struct WhyOptions {
  NameQuery query;
  std::vector<std::string> within;
  OutputOptions outputs;
  RulesOptions rules;
};

OutputRules why_outputs() {
  const exports::View& view = exports::view_named("why");
  return {.stem = std::string(view.stem), .tables = view.tables};
}

Exit why(const WhyOptions& options, Streams& streams) {
  Outputs outputs(options.outputs, why_outputs());
  const match::CompiledRules rules = compile_rules(options.rules, streams);
  NameQuery query = options.query;
  if (!query.kind.empty()) {
    query.kind = parse_choice(query.kind, "--kind", {"kernel", "memcpy", "memset"});
  }

  session::Session session(rules);
  const tables::Explanation& explanation = session.explain(query);
  const auto text = [&](const auto& out, auto) {
    out(overview::why_text(rules, explanation, {.color = streams.color_out()}));
  };
  outputs.finish(session.source(), {{"table", text}}, streams);
  return Exit::done;
}

Action setup_why(CLI::App& app) {
  auto options = std::make_shared<WhyOptions>();
  app.add_option("NAME", options->query.name, "Name of an operation, quoted for the shell")
      ->required();
  app.add_option("--engine", options->query.engine, "Engine (default: detected from the name)")
      ->configurable();
  app.add_option("--model", options->query.model, "Model (default: detected from the name)")
      ->configurable();
  app.add_option("--kind", options->query.kind, "kernel, memcpy or memset (default: all)")
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
    std::erase(options->within, "");
    if (within->count() > 0) options->query.within = options->within;
    return why(*options, streams);
  };
}

}  // namespace

const Verb why_verb{"why", "show which rule labels a name, and why",
                    "kr why flash_fwd_splitkv_kernel --engine vllm --model llama", setup_why,
                    "Results"};

}  // namespace kr::cli
