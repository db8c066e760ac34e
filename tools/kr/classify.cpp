// kr classify: labels, a row a distinct name or a row an operation.
#include <memory>

#include "analyze/run.hpp"
#include "base/error.hpp"
#include "report/each.hpp"
#include "report/report.hpp"
#include "session.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

struct ClassifyOptions {
  std::string run;
  RulesOptions rules;
  TraceOptions trace;
  std::string format;
  bool each = false;
};

void write_names(const RunSummary& run, const std::string& format, Streams& streams) {
  if (format == "csv") {
    streams.out(classify_csv(run));
  } else if (format == "jsonl") {
    streams.out(classify_jsonl(run));
  } else {
    streams.out(classify_table(run, {.color = streams.color_out(), .width = streams.out_width()}));
  }
}

void write_each(const CompiledRules& rules, const LabelledTrace& run, const std::string& format,
                Streams& streams) {
  if (format == "table") {
    throw Error("", "--each has no table", "give --format csv or --format jsonl");
  }
  const auto write = [&](std::string_view text) { streams.out(text); };
  classify_each(rules, run, format == "csv" ? EachFormat::csv : EachFormat::jsonl, write);
}

Exit classify(const ClassifyOptions& options, Streams& streams) {
  const bool table = streams.out_is_terminal() && !options.each;
  const std::string format =
      parse_choice(options.format.empty() ? (table ? "table" : "csv") : options.format, "--format",
                   {"csv", "jsonl", "table"});
  const RunSpec spec = parse_run(options.run);
  const CompiledRules rules = compile_rules(options.rules, streams);

  ProgressShown shown(streams, spec.path);
  OpenOptions open = options.trace.open;
  open.progress = shown.progress();
  const auto run = label_run(rules, spec, open);
  for (const std::string& warning : run->trace.warnings) {
    streams.warning(fmt::format("{}: {}", spec.path, warning));
  }
  if (options.each) {
    write_each(rules, *run, format, streams);
  } else {
    write_names(summarize_run(rules, spec, 0, *run), format, streams);
  }
  return Exit::done;
}

Action setup_classify(CLI::App& app) {
  auto options = std::make_shared<ClassifyOptions>();
  app.add_option("RUN", options->run, "PATH[,ENGINE,MODEL]; `-` is standard input")->required();
  app.add_option("--format", options->format,
                 "csv, jsonl or table (default: table on a terminal, else csv)")
      ->type_name("FORMAT");
  app.add_flag("--each", options->each, "A row an operation, in order of start");
  options->rules.add_to(app);
  options->trace.add_to(app);
  return [options](Streams& streams) { return classify(*options, streams); };
}

}  // namespace

extern const Verb classify_verb;
const Verb classify_verb{"classify", "labels of every distinct name of a trace",
                         "kr classify trace.csv,vllm,llama --format csv", setup_classify, "Traces"};

}  // namespace kr::cli
