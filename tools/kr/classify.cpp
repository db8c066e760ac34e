// kr classify: labels, one row per distinct name or one row per operation.
#include <memory>

#include "outputs.hpp"
#include "overview/each.hpp"
#include "overview/report.hpp"
#include "session.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

OutputRules classify_outputs(bool each, bool terminal) {
  return {.stem = each ? "operations" : "kernels",
          .tables = {each ? "operations" : "kernels"},
          .more_tables = run_tables(),
          .own_csv = true,
          .without = {terminal && !each ? "table" : "csv"},
          .to_terminal = {"table"}};
}

struct ClassifyOptions {
  std::string run;
  RulesOptions rules;
  TraceOptions trace;
  OutputOptions outputs;
  bool each = false;
};

Exit classify(const ClassifyOptions& options, Streams& streams) {
  const std::vector<classify::RunSpec> specs = parse_runs({options.run});
  const match::CompiledRules rules = compile_rules(options.rules, streams);
  Outputs outputs(options.outputs, classify_outputs(options.each, streams.out_is_terminal()),
                  specs);
  session::Session session(rules);
  read_runs(session, specs, options.trace, outputs, "kind", streams);

  const tables::Source& source = session.source();
  const auto own = [&](const std::string& format, auto /*tables*/) -> Outputs::Writer {
    if (outputs.tables_named()) return nullptr;
    const analyze::RunSummary& run = source.runs[0].summary;
    if (format == "csv") {
      return [&](const auto& out) {
        if (options.each) {
          overview::classify_each_csv(rules, *source.runs[0].trace, out);
        } else {
          out(overview::classify_csv(run));
        }
      };
    }
    if (format != "table" || options.each) return nullptr;
    return [&](const auto& out) {
      out(overview::classify_table(run,
                                   {.color = streams.color_out(), .width = streams.out_width()}));
    };
  };
  outputs.finish(source, own, streams);
  return Exit::done;
}

Action setup_classify(CLI::App& app) {
  auto options = std::make_shared<ClassifyOptions>();
  app.add_option("RUN", options->run, "PATH[,ENGINE,MODEL]; `-` is standard input")->required();
  options->outputs.add_to(app, classify_outputs(false, false));
  app.add_flag("--each", options->each, "Output the table `operations`: one row per operation");
  options->rules.add_to(app);
  options->trace.add_to(app);
  return [options](Streams& streams) { return classify(*options, streams); };
}

}  // namespace

extern const Verb classify_verb;
const Verb classify_verb{"classify", "list the labels of every distinct name of a trace",
                         "kr classify trace.csv,vllm,llama --format csv", setup_classify, "Traces"};

}  // namespace kr::cli
