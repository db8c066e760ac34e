// kr export: rules as JSON tables of patterns.
#include "convert/export.hpp"

#include <filesystem>
#include <memory>

#include "base/error.hpp"
#include "base/file.hpp"
#include "diag/render.hpp"
#include "match/krdb.hpp"
#include "session.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

struct Options {
  RulesOptions rules;
  std::string format = "engine-model-json";
  std::string dimension = "substage";
  std::string output;
  bool skip = false;
};

bool is_compiled(const std::string& name) {
  std::error_code error;
  return std::filesystem::is_regular_file(name, error) && is_krdb(read_file(name));
}

/// What was named and nothing beside it.
std::unique_ptr<Rules> load(const RulesOptions& options, Streams& streams) {
  if (options.names.size() == 1 && is_compiled(options.names.front())) {
    return std::move(compile_rules(options, streams).rules);
  }
  Sink sink;
  auto rules = load_rules(options.names, Library::of_process("kr"), sink);
  if (sink.has_errors()) {
    streams.raw_error(
        render_human(rules->sources, sink.sorted(), {.color = streams.color_error()}));
    throw Error(
        "", fmt::format("the rules have {} error{}", sink.errors(), sink.errors() == 1 ? "" : "s"),
        "mend them and run again");
  }
  return rules;
}

Exit export_rules(const Options& options, Streams& streams) {
  (void)parse_choices(options.format, "--format", {"engine-model-json"});
  const auto rules = load(options.rules, streams);
  Sink sink;
  const Exported exported = export_tables(rules->program, options.dimension, sink);
  const auto findings = sink.sorted();
  if (!findings.empty()) {
    streams.raw_error(render_human(rules->sources, findings, {.color = streams.color_error()}));
    if (!options.skip) {
      streams.note(fmt::format("nothing was written; --skip-inexpressible writes the rest"));
      return Exit::findings;
    }
  }
  if (options.output.empty()) {
    streams.out(exported.text);
  } else {
    write_file(options.output, exported.text);
  }
  if (exported.asking_kind > 0) {
    streams.note(fmt::format("{} copies and sets by the spelling of their names",
                             exported.asking_kind == 1
                                 ? std::string("1 pattern tells")
                                 : fmt::format("{} patterns tell", exported.asking_kind)));
  }
  if (!options.output.empty()) {
    streams.note(fmt::format("wrote {}: {} patterns", options.output, exported.rules));
  }
  return findings.empty() ? Exit::done : Exit::findings;
}

Action setup(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("RULES,--rules", options->rules.names,
                 "Rules files, a .krdb, or names of shipped rulesets")
      ->required();
  app.add_option("--format", options->format, "engine-model-json, which gputrc2graph.py takes")
      ->type_name("FORMAT");
  app.add_option("--dimension", options->dimension, "The labels to write (default: substage)")
      ->type_name("DIM");
  app.add_option("-o,--output", options->output, "The file to write (default: standard output)")
      ->type_name("FILE");
  app.add_flag("--skip-inexpressible", options->skip,
               "Write what can be written where rules have no pattern that says the same");
  return [options](Streams& streams) { return export_rules(*options, streams); };
}

}  // namespace

extern const Verb export_verb;
const Verb export_verb{"export", "rules as a JSON table that gputrc2graph.py takes",
                       "kr export vllm --format engine-model-json -o engine_model.json", setup};

}  // namespace kr::cli
