// kr classify: labels, one row per distinct name or one row per operation.
#include "analyze/run.hpp"
#include "export/chosen_tables.hpp"
#include "outputs.hpp"
#include "overview/overview.hpp"
#include "overview/part.hpp"
#include "render/render.hpp"
#include "session.hpp"
#include "tables/registry.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

OutputRules classify_outputs(bool each, bool terminal) {
  return {.stem = each ? "operations" : "kernels",
          .tables = {each ? "operations" : "kernels"},
          .more_tables = exports::run_tables(),
          .own_csv = "name,instances,total_ns,elapsed_ns,",
          .without = {terminal && !each ? "table" : "csv"}};
}

struct ClassifyOptions : RunVerbOptions {
  std::string run;
  bool each = false;
};

Exit classify(const ClassifyOptions& options, Streams& streams) {
  const std::vector<classify::RunSpec> specs = parse_runs({options.run});
  const match::CompiledRules rules = compile_rules(options.rules, streams);
  Outputs outputs(options.outputs, classify_outputs(options.each, streams.out_is_terminal()),
                  specs);
  session::Session session = open_session(rules, options.trace, streams);
  read_runs(session, specs, outputs, "kind", streams);

  const tables::Run& run = session.source().runs[0];
  Outputs::OwnFormats own;
  if (options.each) {
    own["csv"] = [&](const auto& out, auto) {
      overview::classify_each_csv(rules, run.get<analyze::LabelledTrace>(), out);
    };
  } else {
    own["csv"] = [&](const auto& out, auto) { out(overview::classify_csv(run.summary)); };
    own["table"] = [&](const auto& out, auto tables) {
      overview::Part part{.columns = {"elapsed_ns", "share", "instances"}};
      for (const std::string& dimension : tables::name_dimensions_of(session.source())) {
        part.columns.push_back(tables::dimension_column(*tables::find("kernels"), dimension));
      }
      part.columns.insert(part.columns.end(), {"rule", "name"});
      const table::Table names = overview::part_of(tables[0], part);
      render::terminal(std::span(&names, 1), out,
                       {.color = streams.color_out(), .width = streams.out_width(), .max_rows = 0});
    };
  }
  outputs.finish(session.source(), own, streams);
  return Exit::done;
}

void add_classify_options(CLI::App& app, ClassifyOptions& options) {
  app.add_option("RUN", options.run, "PATH[,ENGINE,MODEL]; `-` is standard input")->required();
  options.add_to(app, classify_outputs(false, false));
  app.add_flag("--each", options.each, "Output the table `operations`: one row per operation")
      ->configurable();
}

}  // namespace

const Verb classify_verb{"classify", "list the labels of every distinct name of a trace",
                         "kr classify trace.csv,vllm,llama --format csv",
                         setup<ClassifyOptions, add_classify_options, classify>, "Traces"};

}  // namespace kr::cli
