// kr coverage: what share of GPU time the rules explain, and rules to add.
#include <fmt/format.h>

#include <optional>

#include "analyze/run.hpp"
#include "base/decimal.hpp"
#include "base/error.hpp"
#include "coverage/suggest.hpp"
#include "export/views.hpp"
#include "outputs.hpp"
#include "overview/overview.hpp"
#include "session.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

// Groups, unless the user gives another number: in a table, and for programs. A trace has more
// only if its names are generated.
constexpr size_t max_shown = 10;
constexpr size_t max_suggested = 1000;

struct CoverageOptions : RunVerbOptions {
  std::vector<std::string> runs;
  std::string by = "substage";
  std::string least;
  bool costs = false;
  std::optional<size_t> top;
};

OutputRules coverage_outputs() {
  const exports::View& view = exports::view_named("coverage");
  return {.stem = std::string(view.stem), .tables = view.tables};
}

// Percentages have six decimals: 99.5 is 99500000.
constexpr int64_t hundred_percent = 100'000'000;

int64_t parse_percentage(const std::string& text) {
  int64_t millionths = 0;
  if (read_decimal(text, 6, millionths) != DecimalFault::none || millionths > hundred_percent) {
    throw Error("", fmt::format("`{}` is not a percentage for --min-coverage", text),
                "give one from 0 to 100, such as 99.5");
  }
  return millionths;
}

/// Of nothing no part is explained.
void refuse_nothing(const coverage::TimeCoverage& coverage) {
  for (const coverage::MeasuredRun& run : coverage.runs) {
    if (run.total_ns > 0) continue;
    throw Error(run.source, "has no GPU time of which --min-coverage could be a share",
                "name a trace with operations, or leave out --min-coverage");
  }
}

/// Whether any run is below; reports each.
bool report_below(const coverage::TimeCoverage& coverage, const CoverageOptions& options,
                  int64_t least, Streams& streams) {
  bool below = false;
  for (const coverage::MeasuredRun& run : coverage.runs) {
    const auto explained = static_cast<__int128>(run.explained_ns) * hundred_percent;
    if (explained >= static_cast<__int128>(run.total_ns) * least) continue;
    below = true;
    streams.error(fmt::format("{}: {} % of its time is explained, less than {} %", run.source,
                              overview::share_explained(run.explained_ns, run.total_ns),
                              options.least));
  }
  return below;
}

Exit coverage(const CoverageOptions& options, Streams& streams) {
  const int64_t least = options.least.empty() ? 0 : parse_percentage(options.least);
  const std::vector<classify::RunSpec> specs = parse_runs_and_folders(options.runs);
  const match::CompiledRules rules = compile_rules(options.rules, streams);
  const sema::DimensionId dimension = classify::named_name_dimension(rules.program(), options.by);
  Outputs outputs(options.outputs, coverage_outputs());

  session::Session session = open_session(rules, options.trace, streams);
  if (options.costs) {
    session.add_demand(
        facts::Set::of<analyze::RunSummary, cost::CostedRun, analyze::LabelledTrace>());
  }
  session::Demand demand = outputs.tables_named() ? outputs.demand() : session::Demand{};
  if (!demand.facts.has<cost::CostedRun>()) demand = {};
  demand.measured = dimension;
  read_runs(session, specs, demand, streams, Infos::shown);
  const bool text = outputs.makes("table") && !outputs.tables_named();
  const bool whole = outputs.makes_for_programs() || outputs.tables_named();
  // The text is short even if files are made as well.
  std::optional<coverage::TimeCoverage> shortened;
  if (text && whole && !options.top) shortened = session.cover(max_shown);
  const coverage::TimeCoverage& measured =
      session.cover(options.top.value_or(whole ? max_suggested : max_shown));
  if (!options.least.empty()) refuse_nothing(measured);
  const auto write_text = [&](const auto& out, auto) {
    out(overview::coverage_text(session.source(), shortened ? *shortened : measured,
                                {.color = streams.color_out(), .width = streams.out_width()}));
  };
  outputs.finish(session.source(), {{"table", write_text}}, streams);
  for (const tables::Note& note : tables::result_notes(session.source())) {
    if (!text) streams.note(note.text);
  }
  return report_below(measured, options, least, streams) ? Exit::findings : Exit::done;
}

void add_coverage_options(CLI::App& app, CoverageOptions& options) {
  app.add_option("RUN", options.runs, "PATH[,ENGINE,MODEL]; `-` is standard input")->required();
  app.add_option("--by", options.by, "Dimension whose labels explain time (default: substage)")
      ->type_name("DIM")
      ->configurable();
  app.add_flag(
         "--costs", options.costs,
         "Also show which share of the time has FLOPs and bytes by the shapes of ops, and the "
         "ops to declare next")
      ->configurable();
  app.add_option("--min-coverage", options.least,
                 "Exit with 1 if less than this percentage of a run's time is explained")
      ->type_name("PCT")
      ->check(project_check(parse_percentage))
      ->configurable();
  app.add_option(
         "--top", options.top,
         "Show at most N groups of unexplained names; 0: all (default: 10 in a table, else 1000)")
      ->type_name("N")
      ->check(whole_number())
      ->configurable();
  options.add_to(app, coverage_outputs());
}

}  // namespace

const Verb coverage_verb{"coverage",
                         "show how much of the time rules explain, and suggest rules to add",
                         "kr coverage trace.csv,vllm,llama --min-coverage 99",
                         setup<CoverageOptions, add_coverage_options, coverage>, "Traces"};

}  // namespace kr::cli
