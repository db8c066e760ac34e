// kr list: what there is.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/join.hpp"
#include "config.hpp"
#include "outputs.hpp"
#include "render/render.hpp"
#include "sema/load.hpp"
#include "session.hpp"
#include "source/library.hpp"
#include "tables/registry.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

/// Neither tables nor in one of their formats: the JSON Schema of `--format json`, and
/// docs/tables.md.
constexpr std::string_view schema = "schema";
constexpr std::string_view reference = "reference";

/// Of the tables `list_WHAT`.
std::vector<std::string> listable() {
  constexpr std::string_view head = "list_";
  std::vector<std::string> names;
  for (const tables::Definition* one : tables::all()) {
    if (one->info.id.starts_with(head)) names.push_back(one->info.id.substr(head.size()));
  }
  names.emplace_back(schema);
  names.emplace_back(reference);
  return names;
}

OutputRules list_outputs(const std::string& what) {
  return {.stem = what, .tables = {"list_" + what}, .whole_lists = true};
}

struct ListOptions {
  std::string what = "models";
  std::string of;  // the table of `list columns`
  OutputOptions outputs;
  RulesOptions rules;
};

Exit list(const ListOptions& options, Streams& streams) {
  const std::string what = parse_choice(options.what, "kr list", listable());
  if (what == schema) {
    streams.out(render::json_schema(tables::all_infos()));
    return Exit::done;
  }
  if (what == reference) {
    streams.out(tables::reference_markdown());
    return Exit::done;
  }
  const OutputRules rules = list_outputs(what);
  Outputs outputs(options.outputs, rules);
  tables::Source source;
  std::optional<match::CompiledRules> compiled;
  const facts::Set needs = tables::find(rules.tables[0])->needs;
  // Of what kr itself has, rules change nothing: `kr list config` shows where broken ones are from.
  const bool named = needs.has<tables::ShippedRules>() && !options.rules.names.empty();
  if (needs.has<match::CompiledRules>() || named) {
    compiled = compile_rules(options.rules, streams);
    source.rules = &*compiled;
  }
  if (needs.has<tables::ShippedRules>() && !compiled) {
    source.shipped = sema::load_shipped(own_library());
  }
  if (!options.of.empty()) {
    if (what != "columns") throw Error("", "only `kr list columns` accepts a table");
    source.table = tables::whole_of(tables::known_table(options.of)).info.id;
  }
  source.settings = settings_in_force();
  outputs.finish(source, {}, streams);
  return Exit::done;
}

void add_list_options(CLI::App& app, ListOptions& options) {
  app.add_option("WHAT", options.what, fmt::format("{} (default: models)", join(listable(), ", ")));
  app.add_option("TABLE", options.of, "For `columns`: the table whose columns are listed");
  options.outputs.add_to(app, list_outputs("models"));
  options.rules.add_to(app);
}

}  // namespace

const Verb list_verb{"list", "list engines, models, labels, tables, checks and more",
                     "kr list labels --rules vllm", setup<ListOptions, add_list_options, list>,
                     "Rules"};

}  // namespace kr::cli
