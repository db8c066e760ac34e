// kr coverage: what share of GPU time the rules explain, and rules to add.
#include "overview/coverage.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "base/decimal.hpp"
#include "base/error.hpp"
#include "base/plural.hpp"
#include "outputs.hpp"
#include "session.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

// Groups, unless the user asks for another number: in a table, and for programs. A trace has more
// only if its names are generated.
constexpr size_t most_shown = 10;
constexpr size_t most_suggested = 1000;

struct CoverageOptions {
  std::vector<std::string> runs;
  RulesOptions rules;
  TraceOptions trace;
  std::string by = "substage";
  std::string least;
  std::optional<size_t> top;
  OutputOptions outputs;
};

const OutputRules& coverage_outputs() {
  static const OutputRules rules{
      .stem = "coverage",
      .tables = {"coverage", "unexplained", "unexplained_names", "unexplained_runs"},
      .without = {"table"},
      .to_terminal = {"table"}};
  return rules;
}

/// A percentage to six decimals: 99.5 is 99500000 of 100000000.
struct Percentage {
  static constexpr int64_t one = 1'000'000;
  int64_t millionths = 0;

  bool reached(int64_t part, int64_t whole) const {
    return static_cast<__int128>(part) * 100 * one >= static_cast<__int128>(whole) * millionths;
  }
};

Percentage parse_percentage(const std::string& text) {
  Percentage percentage;
  if (read_decimal(text, 6, percentage.millionths) != DecimalFault::none ||
      percentage.millionths > 100 * Percentage::one) {
    throw Error("", fmt::format("`{}` is not a percentage for --min-coverage", text),
                "give one from 0 to 100, such as 99.5");
  }
  return percentage;
}

/// Whether any run is below; each is told.
bool tell_below(const coverage::TimeCoverage& coverage, const CoverageOptions& options,
                Percentage least, Streams& streams) {
  bool below = false;
  for (const coverage::MeasuredRun& run : coverage.runs) {
    if (least.reached(run.explained_ns, run.total_ns)) continue;
    below = true;
    streams.error(fmt::format("{}: {} % of its time is explained, less than {} %", run.id,
                              overview::share_explained(run.explained_ns, run.total_ns),
                              options.least));
  }
  return below;
}

tables::Note omitted_groups_note(const coverage::TimeCoverage& coverage) {
  return {
      "", "info", "more-groups",
      fmt::format("{} of unexplained names, with {} of time, omitted; --top 0 shows all",
                  plural(coverage.omitted_groups, "group"), table::human_time(coverage.omitted_ns)),
      static_cast<int64_t>(coverage.omitted_groups)};
}

Exit coverage(const CoverageOptions& options, Streams& streams) {
  const Percentage least = options.least.empty() ? Percentage{} : parse_percentage(options.least);
  const std::vector<classify::RunSpec> specs = parse_runs(options.runs);
  const match::CompiledRules rules = compile_rules(options.rules, streams);
  const sema::DimensionId dimension = classify::named_dimension(rules.program(), options.by);
  Outputs outputs(options.outputs, coverage_outputs());

  std::vector<coverage::MeasuredRun> runs;
  runs.reserve(specs.size());
  for (size_t i = 0; i < specs.size(); ++i) {
    trace::Progress progress;
    const ProgressShown shown(streams, specs[i].path, progress);
    trace::OpenOptions open = options.trace.open;
    open.progress = &progress;
    runs.push_back(coverage::measure_run(rules, specs[i], i, dimension, open));
  }
  tables::Source source;
  source.rules = &rules;
  for (const coverage::MeasuredRun& run : runs) {
    show_warnings(run.source, run.warnings, streams);
    const sema::Model& model = rules.program().models.get(run.model);
    source.other_runs.push_back({run.id, run.source, run.format,
                                 rules.program().engines.get(model.engine).name, model.name,
                                 run.choice_why});
    for (tables::Note& note : tables::notes_of(run.id, run.losses, "", run.warnings)) {
      source.notes.push_back(std::move(note));
    }
  }
  const bool text = outputs.makes("table") && !outputs.tables_named();
  const bool whole = outputs.makes_for_programs() || outputs.tables_named();
  std::optional<coverage::TimeCoverage>
      shortened;  // the text is short even if files are made as well
  if (text && whole && !options.top)
    shortened = coverage::cover(rules, dimension, runs, most_shown);
  const size_t top = options.top.value_or(whole ? most_suggested : most_shown);
  const coverage::TimeCoverage measured = coverage::cover(rules, dimension, std::move(runs), top);
  source.coverage = &measured;
  if (measured.omitted_groups > 0) source.notes.push_back(omitted_groups_note(measured));
  const auto own = [&](const std::string& format, auto /*tables*/) -> Outputs::Writer {
    if (format != "table" || outputs.tables_named()) return nullptr;
    return [&](const auto& out) {
      out(overview::coverage_text(rules, shortened ? *shortened : measured,
                                  {.color = streams.color_out(), .width = streams.out_width()}));
    };
  };
  outputs.finish(source, own, streams);
  if (!text && measured.omitted_groups > 0) streams.note(omitted_groups_note(measured).text);
  return tell_below(measured, options, least, streams) ? Exit::findings : Exit::done;
}

Action setup_coverage(CLI::App& app) {
  auto options = std::make_shared<CoverageOptions>();
  app.add_option("RUN", options->runs, "PATH[,ENGINE,MODEL]; `-` is standard input")->required();
  app.add_option("--by", options->by, "Dimension whose labels explain time (default: substage)")
      ->type_name("DIM");
  app.add_option("--min-coverage", options->least,
                 "Exit with 1 if less than this percentage of a run's time is explained")
      ->type_name("PCT");
  app.add_option(
         "--top", options->top,
         "Show at most N groups of unexplained names; 0: all (default: 10 in a table, else 1000)")
      ->type_name("N")
      ->check(whole_number());
  options->outputs.add_to(app, coverage_outputs());
  options->rules.add_to(app);
  options->trace.add_to(app);
  return [options](Streams& streams) { return coverage(*options, streams); };
}

}  // namespace

extern const Verb coverage_verb;
const Verb coverage_verb{
    "coverage", "show how much of the time rules explain, and suggest rules to add",
    "kr coverage trace.csv,vllm,llama --min-coverage 99", setup_coverage, "Traces"};

}  // namespace kr::cli
