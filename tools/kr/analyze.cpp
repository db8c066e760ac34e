// kr analyze: breakdowns, launches, activity, phases, layers.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.hpp"
#include "outputs.hpp"
#include "report/analysis.hpp"
#include "session.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

constexpr size_t most_rows = 20;
constexpr size_t longest_name = 100;

struct AnalyzeOptions {
  std::vector<std::string> runs;
  RulesOptions rules;
  TraceOptions trace;
  std::string only;
  OutputOptions outputs;
  std::string by = "substage";
  bool all = false;
};

/// What keeps runs from being held against each other as ranks, where that was asked for.
void warn_of_ranks(const std::vector<AnalyzedRun>& runs, const std::vector<std::string>& parts,
                   Streams& streams) {
  const auto of_ranks = [](const std::string& part) {
    return part == "ranks" || part == "balance" || part == "rank_steps" || part == "collectives";
  };
  if (runs.size() < 2 || std::none_of(parts.begin(), parts.end(), of_ranks)) return;
  const Ranks ranks = ranks_of(runs);
  if (!ranks.why_not.empty()) {
    streams.warning(fmt::format("the runs are not held against each other as ranks of one job: {}",
                                ranks.why_not));
  }
  if (!ranks.uneven.empty()) {
    streams.warning(fmt::format(
        "{} not in equal numbers on all ranks, and not among the collectives; the first is `{}`",
        ranks.uneven.size() == 1 ? "1 communicating kernel is"
                                 : fmt::format("{} communicating kernels are", ranks.uneven.size()),
        printable(ranks.uneven[0].substr(0, longest_name))));
  }
}

Exit analyze(const AnalyzeOptions& options, Streams& streams) {
  const auto parts = options.only.empty() ? default_parts()
                                          : parse_choices(options.only, "--only", analysis_parts());
  const std::vector<RunSpec> specs = parse_runs(options.runs);
  const CompiledRules rules = compile_rules(options.rules, streams);
  named_dimension(rules.program(), options.by);
  const OutputRules output_rules{.stem = "analysis",
                                 .formats = {"table", "csv", "json", "html", "perfetto", "sqlite"},
                                 .without = {"table"},
                                 .to_terminal = {"table"}};
  Outputs outputs(options.outputs, output_rules, specs);
  if (outputs.makes("csv") && parts.size() != 1) {
    throw Error("", "CSV is one table", "name its part, such as --only kernels");
  }

  std::vector<AnalyzedRun> runs;
  for (size_t i = 0; i < specs.size(); ++i) {
    OpenOptions open = options.trace.open;
    open.host_side = true;
    ProgressShown shown(streams, specs[i].path);
    open.progress = shown.progress();
    const auto run = label_run(rules, specs[i], open);
    RunSummary summary = summarize_run(rules, specs[i], i, *run);
    for (const std::string& warning : run->trace.warnings) {
      streams.warning(fmt::format("{}: {}", specs[i].path, warning));
    }
    outputs.add_run(rules, *run, summary, i, options.by, streams);
    int64_t idle_ns = 0;
    for (const DeviceSum& device : summary.devices) idle_ns += device.idle_ns;
    runs.push_back({std::move(summary), kr::analyze(rules, *run, idle_ns)});
  }
  warn_of_ranks(runs, parts, streams);
  outputs.finish(
      [&](const std::string& format) {
        if (format == "json") return analysis_json(runs, parts);
        if (format == "csv") return analysis_csv(runs, parts[0]);
        if (format == "html") {
          std::vector<RunSummary> summaries;
          summaries.reserve(runs.size());
          for (const AnalyzedRun& run : runs) summaries.push_back(run.summary);
          return analysis_html(runs, parts, label_styles(rules.program(), summaries));
        }
        return analysis_table(runs, parts, options.all ? 0 : most_rows,
                              {.color = streams.color_out(), .width = streams.out_width()});
      },
      streams);
  return Exit::done;
}

Action setup_analyze(CLI::App& app) {
  auto options = std::make_shared<AnalyzeOptions>();
  app.add_option("RUN", options->runs, "PATH[,ENGINE,MODEL]; `-` is standard input; a run a rank")
      ->required();
  app.add_option("--only", options->only,
                 fmt::format("Of {}, with commas between (default: all)",
                             fmt::join(analysis_parts(), ", ")))
      ->type_name("LIST");
  options->outputs.add_to(
      app,
      "Of table, csv (of one part), json, html, perfetto, sqlite, with commas between "
      "(default: table); without --out-dir to standard output");
  app.add_option("--by", options->by,
                 "Dimension that categories and colours of perfetto show (default: substage)")
      ->type_name("DIM");
  app.add_flag("--all", options->all, "All rows of long tables");
  options->rules.add_to(app);
  options->trace.add_to(app);
  return [options](Streams& streams) { return analyze(*options, streams); };
}

}  // namespace

extern const Verb analyze_verb;
const Verb analyze_verb{"analyze", "breakdown, launches, activity, phases and layers of a trace",
                        "kr analyze trace.json.gz --only breakdown,layers", setup_analyze,
                        "Traces"};

}  // namespace kr::cli
