// kr import: tables of patterns in JSON as a rules file.
#include "convert/import.hpp"

#include <CLI/CLI.hpp>

#include "base/file.hpp"
#include "base/plural.hpp"
#include "diag/render.hpp"
#include "render/renderers.hpp"
#include "source/text_file.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

struct ImportArguments {
  std::string file;
  std::string output;
  bool force = false;
  std::vector<std::string> engines;
};

Exit import(const ImportArguments& options, Streams& streams) {
  source::SourceMap sources;
  diag::Sink sink;
  const source::FileId file =
      sources.add(options.file, source::read_text_file(options.file, source::Pipes::read));
  const convert::Imported imported = convert::import_tables(sources, file, options.engines, sink);
  const auto findings = sink.sorted();
  if (!findings.empty()) {
    streams.raw_error(diag::render_human(sources, findings, {.color = streams.color_error()}));
  }
  if (options.output.empty()) {
    streams.out(imported.text);
  } else {
    PendingFile file(options.output);
    if (!options.force) render::check_own(file);
    file.write(imported.text);
    file.commit();
  }
  if (!imported.proven) {
    streams.warning(
        "not proven: the rules are too complex to prove that they mean the same as the tables");
  }
  if (!options.output.empty()) {
    streams.note(fmt::format(
        "wrote {}: {}{}", options.output, plural(imported.rules, "pattern"),
        imported.left_out == 0 ? std::string() : fmt::format(", {} omitted", imported.left_out)));
  }
  return findings.empty() ? Exit::done : Exit::findings;
}

void add_import_options(CLI::App& app, ImportArguments& options) {
  app.add_option("FILE", options.file,
                 "JSON tables: {engine: {model: {pattern: label}}}, or a list of them")
      ->required();
  app.add_option("-o,--output", options.output,
                 "The rules file to write (default: standard output)")
      ->type_name("FILE");
  app.add_flag("--force", options.force, "Replace an existing file");
  app.add_option("--engine", options.engines, "Import only this engine (repeatable)")
      ->type_name("ENGINE")
      ->allow_extra_args(false);
}

}  // namespace

const Verb import_verb{"import", "convert JSON tables of gputrc2graph.py to rules",
                       "kr import engine_model.json -o mine.kr",
                       setup<ImportArguments, add_import_options, import>, "Rules"};

}  // namespace kr::cli
