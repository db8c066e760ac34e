// kr export: rules as JSON tables of patterns.
#include "convert/export.hpp"

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/plural.hpp"
#include "diag/render.hpp"
#include "render/renderers.hpp"
#include "sema/load.hpp"
#include "session.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

struct ExportArguments {
  RulesOptions rules;
  std::string format = "engine-model-json";
  std::string dimension = "substage";
  std::string output;
  bool force = false;
  bool skip = false;
};

Exit export_rules(const ExportArguments& options, Streams& streams) {
  if (options.rules.names.empty()) {
    throw Error("", "no rules given", "name a rules file or a shipped ruleset: kr export vllm");
  }
  (void)parse_choice(options.format, "--format", {"engine-model-json"});
  const auto rules = std::move(load_named(options.rules.names, streams).rules);
  diag::Sink sink;
  const convert::Exported exported =
      convert::export_tables(rules->program, options.dimension, sink);
  const auto findings = sink.sorted();
  if (!findings.empty()) {
    streams.raw_error(
        diag::render_human(rules->sources, findings, {.color = streams.color_error()}));
    if (!options.skip) {
      streams.note(fmt::format("nothing was written; --skip-inexpressible writes the rest"));
      return Exit::findings;
    }
  }
  if (options.output.empty()) {
    streams.out(exported.text);
  } else {
    PendingFile file(options.output);
    if (!options.force) render::check_own(file);
    file.write(exported.text);
    file.commit();
  }
  if (exported.uses_kind > 0) {
    streams.note(fmt::format("{} copies and sets by their names",
                             exported.uses_kind == 1
                                 ? std::string("1 pattern identifies")
                                 : fmt::format("{} patterns identify", exported.uses_kind)));
  }
  if (!options.output.empty()) {
    streams.note(fmt::format("wrote {}: {}", options.output, plural(exported.rules, "pattern")));
  }
  return findings.empty() ? Exit::done : Exit::findings;
}

void add_export_options(CLI::App& app, ExportArguments& options) {
  app.add_option("RULES,--rules", options.rules.names,
                 "Rules files, a .krdb, or names of shipped rulesets");
  app.add_option("--format", options.format, "engine-model-json, which gputrc2graph.py reads")
      ->type_name("FORMAT");
  app.add_option("--dimension", options.dimension,
                 "The dimension whose labels are written (default: substage)")
      ->type_name("DIM")
      ->configurable();
  app.add_option("-o,--output", options.output, "The file to write (default: standard output)")
      ->type_name("FILE");
  app.add_flag("--force", options.force, "Replace an existing file");
  app.add_flag("--skip-inexpressible", options.skip, "Skip rules that no pattern can express");
}

}  // namespace

const Verb export_verb{"export", "convert rules to a JSON table for gputrc2graph.py",
                       "kr export vllm --format engine-model-json -o engine_model.json",
                       setup<ExportArguments, add_export_options, export_rules>, "Rules"};

}  // namespace kr::cli
