// kr cut: a part of a trace as a trace of its own.
#include <CLI/CLI.hpp>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/input_files.hpp"
#include "export/perfetto_trace.hpp"
#include "export/result_file.hpp"
#include "render/renderers.hpp"
#include "session.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

struct CutOptions {
  RulesOptions rules;
  TraceOptions trace;
  std::string run;
  std::string output;
  std::string format;
  std::string by = "substage";
  bool force = false;
};

void write_perfetto(const CutOptions& options, session::Session& session,
                    const classify::RunSpec& spec, Streams& streams) {
  const render::Renderer& format = render::renderer_named("perfetto");
  exports::ResultFile file(format, options.output, options.force);
  size_t runs = 0;
  const auto write = [&](const analyze::LabelledTrace& run, const analyze::RunSummary& summary,
                         size_t /*index*/) {
    if (runs++ > 0) {
      throw Error(spec.path, "contains several ranks, and a file for Perfetto has one run",
                  "choose one with --rank");
    }
    file.write([&](const render::Bytes& out) {
      exports::write_perfetto_trace(*session.source().rules, run, summary, options.by, out);
    });
  };
  const session::Demand demand{
      .facts = facts::Set::of<analyze::RunSummary, analyze::LabelledTrace>(),
      .reads = facts::Reads::host};
  read_runs(session, {spec}, demand, streams, Infos::hidden, write);
  file.file().commit();
}

void write_same(const CutOptions& options, session::Session& session, const classify::RunSpec& spec,
                Streams& streams) {
  PendingFile file(options.output);
  if (!options.force) render::check_own(file);
  session.cut(spec, file);
  show_warnings(session, streams, Infos::hidden);
  file.commit();
}

Exit cut(const CutOptions& options, Streams& streams) {
  if (options.trace.open.window.empty()) {
    throw Error("", "nothing says which part of the trace is to be written",
                "name it: --steps, --phase, --from, --to, --range, --skip-warmup or --steady");
  }
  if (!options.format.empty()) (void)parse_choice(options.format, "--format", {"perfetto"});
  const classify::RunSpec spec = parse_run(options.run);
  if (spec.path != "-") InputFiles::note(std::filesystem::path(spec.path));
  const match::CompiledRules rules = compile_rules(options.rules, streams);
  session::Session session = open_session(rules, options.trace, streams);
  (options.format.empty() ? write_same : write_perfetto)(options, session, spec, streams);
  streams.note(fmt::format("wrote {}", options.output));
  return Exit::done;
}

void add_cut_options(CLI::App& app, CutOptions& options) {
  app.add_option("RUN", options.run, "PATH[,ENGINE,MODEL]")->required();
  app.add_option("-o,--output", options.output, "The file to write; compressed if it ends in .gz")
      ->type_name("FILE")
      ->required();
  app.add_option("--format", options.format,
                 "perfetto: with labels, for ui.perfetto.dev (default: the format of the trace)")
      ->type_name("FORMAT");
  app.add_option("--by", options.by, "The dimension of categories and colours, for perfetto")
      ->type_name("DIM")
      ->configurable();
  app.add_flag("--force", options.force, "Replace an existing file");
  options.rules.add_to(app);
  options.trace.add_to(app);
}

}  // namespace

const Verb cut_verb{"cut", "write a part of a trace, in its own format",
                    "kr cut trace.json.gz --steps 5..20 -o part.json.gz",
                    setup<CutOptions, add_cut_options, cut>, "Traces"};

}  // namespace kr::cli
