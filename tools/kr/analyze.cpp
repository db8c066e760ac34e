// kr analyze: breakdowns, launches, activity, phases, layers.
#include "efficiency.hpp"
#include "export/chosen_tables.hpp"
#include "export/views.hpp"
#include "outputs.hpp"
#include "overview/overview.hpp"
#include "session.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

OutputRules analyze_outputs() {
  const exports::View& view = exports::view_named("analyze");
  return {.stem = std::string(view.stem),
          .tables = view.tables,
          .database = exports::database_tables(),
          .more_tables = exports::run_tables(),
          .operations = true,
          .statistics = true,
          .collectives = true};
}

struct AnalyzeOptions : RunVerbOptions {
  std::vector<std::string> runs;
  std::string by = "substage";
  NcuOptions ncu;
  JobOptions job;
  EfficiencyOptions efficiency;
  std::vector<std::string> changes;
};

Exit analyze(const AnalyzeOptions& options, Streams& streams) {
  const std::vector<classify::RunSpec> specs = parse_runs(options.runs);
  const std::vector<JobSource> baselines = options.efficiency.jobs();
  const match::CompiledRules rules = compile_rules(options.rules, streams);
  classify::named_dimension(rules.program(), options.by);
  OutputRules made = analyze_outputs();
  if (!options.changes.empty()) made.tables.insert(made.tables.begin(), "what_if");
  Outputs outputs(options.outputs, made, specs);
  session::Session session = open_session(rules, options.trace, streams);
  options.ncu.join(session);
  options.job.apply(session);
  session.change(options.changes);
  options.efficiency.join(session, baselines, outputs.demand());
  read_runs(session, specs, outputs, options.by, streams);

  session.source().sort_by_rank();
  const tables::Source& source = session.source();
  const auto page = [&](const auto& out, auto tables) {
    out(exports::analysis_page(source, tables));
  };
  if (outputs.makes("table")) {
    const overview::TableOptions style{.color = streams.color_out(),
                                       .width = streams.out_width(),
                                       .all_rows = options.outputs.all};
    streams.out(outputs.tables_named() ? overview::run_facts(source, options.by, style)
                                       : exports::analysis_text(source, options.by, style));
  }
  for (const tables::Note& note : tables::rank_notes(source)) {
    // The first lines of the table have it.
    if (note.code == "collectives" && outputs.makes("table")) continue;
    note.severity == "warning" ? streams.warning(note.text) : streams.note(note.text);
  }
  const auto markdown = [&](const auto& out, auto tables) {
    exports::analysis_markdown(source, tables, out);
  };
  outputs.finish(source, {{"html", page}, {"markdown", markdown}}, streams);
  return Exit::done;
}

void add_analyze_options(CLI::App& app, AnalyzeOptions& options) {
  app.add_option("RUN", options.runs,
                 "PATH[,ENGINE,MODEL]; `-` is standard input; one run per rank")
      ->required();
  options.add_to(app, analyze_outputs());
  app.add_flag("--nsys-names", options.outputs.nsys_names,
               "CSV with the columns, titles and order of rows of the `nsys stats` report of that "
               "name, as nsys 2023 and later print it; --nsys-names=2022: as nsys 2022 does");
  options.ncu.add_to(app);
  options.job.add_to(app);
  options.efficiency.add_to(app);
  app.add_option("--what-if", options.changes,
                 "How long the run and its steps would take with a change, such as "
                 "`substage/moe_gemm = roof`, `kind/communication = overlapped`, "
                 "`substage/gemm = 0.5x`, `name/flash_fwd = 12us`, `host = 0` (repeatable: each "
                 "alone and all together)")
      ->type_name("CHANGE")
      ->allow_extra_args(false)
      ->configurable();
  app.add_option("--by", options.by,
                 "Dimension for the categories and colours of perfetto (default: substage)")
      ->type_name("DIM")
      ->configurable();
}

}  // namespace

const Verb analyze_verb{"analyze",
                        "show device time, launches, activity, phases and layers of a trace",
                        "kr analyze trace.json.gz --tables devices,layers",
                        setup<AnalyzeOptions, add_analyze_options, analyze>, "Traces"};

}  // namespace kr::cli
