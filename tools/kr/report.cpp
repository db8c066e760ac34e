// kr report: the main job.
#include "report/report.hpp"

#include <memory>

#include "analyze/run.hpp"
#include "base/error.hpp"
#include "outputs.hpp"
#include "session.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

struct ReportOptions {
  std::vector<std::string> runs;
  std::vector<std::string> more_runs;  // of --in_file
  RulesOptions rules;
  TraceOptions trace;
  OutputOptions outputs;
  std::string title;
  std::string by = "substage";
};

std::string text_of(const Report& report, const std::string& format, const Streams& streams) {
  if (format == "csv") return to_csv(report);
  if (format == "html") return to_html(report);
  if (format == "json") return to_json(report);
  return to_table(report, {.color = streams.color_out(), .width = streams.out_width()});
}

void show_notes(const RunSummary& run, Streams& streams) {
  for (const std::string& warning : run.warnings) {
    streams.warning(fmt::format("{}: {}", run.source, warning));
  }
}

Exit report(const ReportOptions& options, Streams& streams) {
  std::vector<std::string> asked = options.runs;
  asked.insert(asked.end(), options.more_runs.begin(), options.more_runs.end());
  const std::vector<RunSpec> specs = parse_runs(asked);
  if (specs.empty()) throw Error("", "no run is given", "name a trace: kr report TRACE");
  const CompiledRules rules = compile_rules(options.rules, streams);
  named_dimension(rules.program(), options.by);
  const OutputRules output_rules{.stem = "result",
                                 .formats = {"table", "json", "html", "csv", "perfetto", "sqlite"},
                                 .without = {"table", "csv", "html"},
                                 .files_without = true,
                                 .to_terminal = {"table", "json"}};
  Outputs outputs(options.outputs, output_rules, specs);

  Report report;
  report.title = options.title;
  report.by = options.by;
  for (size_t i = 0; i < specs.size(); ++i) {
    OpenOptions open = options.trace.open;
    ProgressShown shown(streams, specs[i].path);
    open.progress = shown.progress();
    open.host_side = outputs.wants_traces();
    const auto run = label_run(rules, specs[i], open);
    report.runs.push_back(summarize_run(rules, specs[i], i, *run));
    outputs.add_run(rules, *run, report.runs.back(), i, options.by, streams);
  }
  report.styles = label_styles(rules.program(), report.runs);
  for (const RunSummary& run : report.runs) show_notes(run, streams);
  outputs.finish([&](const std::string& format) { return text_of(report, format, streams); },
                 streams);
  return Exit::done;
}

Action setup_report(CLI::App& app) {
  auto options = std::make_shared<ReportOptions>();
  app.add_option("RUN", options->runs, "PATH[,ENGINE,MODEL[,ELAPSED_SEC]]; `-` is standard input");
  app.add_option("--in_file,--in-file", options->more_runs,
                 "The same, as gputrc2graph.py spells it")
      ->type_name("RUN");
  app.add_option("--title", options->title, "Title of the page and table");
  app.add_option("--by", options->by, "Dimension to begin with (default: substage)")
      ->type_name("DIM");
  options->outputs.add_to(
      app,
      "Of table, json, html, csv, perfetto, sqlite, with commas between; without "
      "--out-dir to standard output");
  options->rules.add_to(app);
  options->trace.add_to(app);
  return [options](Streams& streams) { return report(*options, streams); };
}

}  // namespace

extern const Verb report_verb;
const Verb report_verb{"report", "label a trace, and show where its time goes",
                       "kr report trace.csv,vllm,llama,12.5 --out-dir results", setup_report,
                       "Traces"};

}  // namespace kr::cli
