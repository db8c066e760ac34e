// kr report: the main job.
#include "report/report.hpp"

#include <filesystem>
#include <memory>
#include <optional>

#include "analyze/run.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/nearest.hpp"
#include "session.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

struct ReportOptions {
  std::vector<std::string> runs;
  std::vector<std::string> more_runs;  // of --in_file
  RulesOptions rules;
  TraceOptions trace;
  std::string out_dir;
  std::string title;
  std::string by = "substage";
  std::string formats;
};

/// What goes where. Files are opened before the traces are read, so that a folder that cannot be
/// written is known at once, and appear together when all is done.
class Outputs {
 public:
  explicit Outputs(const ReportOptions& options) {
    const std::vector<std::string> known{"table", "json", "html", "csv"};
    const auto formats = options.formats.empty()
                             ? std::vector<std::string>{"table", "csv", "html"}
                             : parse_choices(options.formats, "--format", known);
    const bool files = options.formats.empty() || !options.out_dir.empty();
    for (const std::string& format : formats) {
      const bool to_file = files && (format == "csv" || format == "html" ||
                                     (format == "json" && formats.size() > 1));
      if (to_file) {
        open(options.out_dir.empty() ? "." : options.out_dir, format);
      } else if (stdout_format_.empty()) {
        stdout_format_ = format;
      } else {
        throw Error(
            "", fmt::format("{} and {} cannot both go to standard output", stdout_format_, format),
            "give --out-dir, or one --format at a time");
      }
    }
  }

  void write(const Report& report, Streams& streams) {
    for (auto& [format, file] : files_) file.write(text(report, format, streams));
    if (!stdout_format_.empty()) {
      streams.out(text(report, stdout_format_, streams));
      streams.finish();
    }
    for (auto& [format, file] : files_) file.commit();
    for (const auto& [format, file] : files_) {
      streams.note(fmt::format("wrote {}", file.path().string()));
    }
  }

 private:
  void open(const std::filesystem::path& folder, const std::string& format) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw Error(folder.string(), "cannot be made: " + error.message());
    files_.emplace_back(format, PendingFile(folder / ("result." + format)));
  }

  static std::string text(const Report& report, const std::string& format, Streams& streams) {
    if (format == "csv") return to_csv(report);
    if (format == "html") return to_html(report);
    if (format == "json") return to_json(report);
    return to_table(report, {.color = streams.color_out(), .width = streams.out_width()});
  }

  std::vector<std::pair<std::string, PendingFile>> files_;
  std::string stdout_format_;
};

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
  Outputs outputs(options);

  Report report;
  report.title = options.title;
  report.by = options.by;
  for (size_t i = 0; i < specs.size(); ++i) {
    OpenOptions open = options.trace.open;
    ProgressShown shown(streams, specs[i].path);
    open.progress = shown.progress();
    report.runs.push_back(summarize_run(rules, specs[i], i, *label_run(rules, specs[i], open)));
  }
  report.styles = label_styles(rules.program(), report.runs);
  for (const RunSummary& run : report.runs) show_notes(run, streams);
  outputs.write(report, streams);
  return Exit::done;
}

Action setup(CLI::App& app) {
  auto options = std::make_shared<ReportOptions>();
  app.add_option("RUN", options->runs, "PATH[,ENGINE,MODEL[,ELAPSED_SEC]]; `-` is standard input");
  app.add_option("--in_file,--in-file", options->more_runs,
                 "The same, as gputrc2graph.py spells it")
      ->type_name("RUN");
  app.add_option("--out-dir,--out_dir", options->out_dir,
                 "Folder for result.csv and result.html (made where missing)")
      ->type_name("DIR");
  app.add_option("--title", options->title, "Title of the page and table");
  app.add_option("--by", options->by, "Dimension to begin with (default: substage)")
      ->type_name("DIM");
  app.add_option("--format", options->formats,
                 "Of table, json, html, csv, with commas between; without --out-dir to standard "
                 "output")
      ->type_name("LIST");
  options->rules.add_to(app);
  options->trace.add_to(app);
  return [options](Streams& streams) { return report(*options, streams); };
}

}  // namespace

extern const Verb report_verb;
const Verb report_verb{"report", "label a trace, and show where its time goes",
                       "kr report trace.csv,vllm,llama,12.5 --out-dir results", setup};

}  // namespace kr::cli
