// kr report: the main job; kr analyze: the same with all sections.

#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "analyze/ranks.hpp"
#include "analyze/run.hpp"
#include "base/error.hpp"
#include "base/plural.hpp"
#include "base/shell_word.hpp"
#include "browser.hpp"
#include "export/chosen_tables.hpp"
#include "export/views.hpp"
#include "kr/watch.hpp"
#include "outputs.hpp"
#include "overview/overview.hpp"
#include "page/pages.hpp"
#include "tables/registry.hpp"
#include "tables/tree.hpp"
#include "trees/for_people.hpp"
#include "verb.hpp"

namespace kr::cli {

OutputRules report_outputs(Sections sections) {
  const bool all = sections == Sections::all;
  const exports::View& view = exports::view_named(all ? "analyze" : "report");
  OutputRules rules{.stem = std::string(view.stem),
                    .tables = view.tables,
                    .database = exports::database_tables(),
                    .page = view.page_tables,
                    .more_tables = exports::run_tables(),
                    .operations = true,
                    .found_phases = true};
  rules.timeline = true;
  if (all) return rules;
  rules.own_csv = "Model_Engine,Substage,Instances,Name,Elapsed Time (sec),Stage,";
  rules.without = {"table", "csv", "html"};
  rules.files_without = true;
  rules.to_terminal = {"table", "json", "jsonl", "markdown"};
  return rules;
}

namespace {

void write_roofline(RooflineFile& file, const tables::Source& source,
                    const overview::Report& report, Streams& streams) {
  const tables::Definition& points = *tables::find("roofline");
  if (const std::string why = tables::absent(points, source); !why.empty()) {
    throw Error("", "--roofline has nothing to draw: " + why);
  }
  const table::Table roofs = tables::make(*tables::find("roofline_roofs"), source);
  file.write(tables::make(points, source), &roofs, report.styles, report.by, streams);
}

/// The upper levels of the run's module trees, if operations are in modules.
void add_module_tree(session::Session& session, const std::string& dimension,
                     std::vector<Table>& tables) {
  const tables::Source& source = session.source();
  if (source.runs.size() != 1 || !session.has_modules()) return;
  trees::ViewOptions how = trees::view_for_people();
  how.level = trees::named_level("2");
  how.dimension = dimension;
  session.show_tree(how);
  tables.push_back(tables::make(*tables::find("tree"), source));
}

/// Runs of which none has its rank are mostly not a job, and need no message.
void say_what_is_a_job(const tables::Source& source, Streams& streams) {
  const std::vector<analyze::RankOfRun>& runs = source.ranks().runs;
  const bool any_rank = std::any_of(runs.begin(), runs.end(), [](const analyze::RankOfRun& run) {
    return run.number.from != analyze::RankNumber::From::order;
  });
  for (const tables::Note& note : tables::rank_notes(source)) {
    if (note.severity == "warning") streams.warning(note.text);
    if (note.code == "job-forced" || note.code == "ranks-missing" ||
        (note.code == "not-one-job" && any_rank)) {
      streams.note(note.text);
    }
  }
}

/// Of kr itself: they are for a person at this machine.
struct OwnReportOptions : ReportOptions {
  bool open = false;
  std::string watch;
};

bool is_page(const std::string& path) {
  return path.ends_with(".html") || path.ends_with(".htm");
}

/// With --open: the page, and all other requested outputs.
Exit open_report(ReportOptions options, Streams& streams) {
  OutputOptions& to = options.outputs;
  const std::vector<classify::RunSpec> specs = options.specs();
  if (!to.tables.empty() || (!to.formats.empty() && to.formats != "html")) {
    throw Error("", "--open shows the page of the report",
                "leave out --tables, and formats other than html");
  }
  if (!to.file.empty() && !is_page(to.file)) {
    throw Error(to.file, "--open needs a page", "let the name end in .html");
  }
  if (to.file.empty() && to.out_dir.empty()) {
    to.file = (new_temporary_folder() / "result.html").string();
  }
  to.formats = "html";
  const std::string page = to.file.empty() ? to.out_dir + "/result.html" : to.file;
  const Exit done = write_report(options, specs, streams);
  streams.note(fmt::format("the page is {}", page));
  open_in_browser(page);
  return done;
}

/// Until the user interrupts kr, calls `report` with the path of each file that appears in the
/// folder. Says at the end which never became whole.
Exit watch_folder(const std::string& folder,
                  const std::function<void(const std::string& path)>& report, Streams& streams) {
  FolderWatch watch(folder);
  stop_when_interrupted();
  streams.note(fmt::format("watching {}, with {} that {} not new; Ctrl-C ends it", folder,
                           plural(watch.files(), "file"), watch.files() == 1 ? "is" : "are"));
  size_t reported = 0;
  while (!interrupted()) {
    for (const std::string& path : watch.poll()) {
      if (interrupted()) {
        watch.failed(path, "");
        continue;
      }
      try {
        report(path);
        ++reported;
      } catch (const Error& error) {
        watch.failed(path, error.what());
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  for (const auto& [name, why] : watch.unfinished()) {
    streams.warning(fmt::format("{} was not reported: {}", name, why));
  }
  streams.note(fmt::format("reported {}", plural(reported, "trace")));
  return Exit::done;
}

/// With --watch: a folder for each trace, by the name of its file.
Exit watch_reports(const OwnReportOptions& options, Streams& streams) {
  const OutputOptions& to = options.outputs;
  const std::string folder = !to.out_dir.empty() ? to.out_dir : to.file;
  const auto refuse = [](const char* what, const char* remedy) { throw Error("", what, remedy); };
  if (!options.runs.empty() || !options.more_runs.empty()) {
    refuse("--watch reports the traces that appear, and a run was given", "leave the run out");
  }
  if (options.open) refuse("--watch opens no page", "leave --open out");
  if (!options.save.empty() || !options.roofline.file.empty()) {
    refuse("--watch writes many reports, and --save and --roofline name one file",
           "leave them out");
  }
  if (folder.empty() || (!to.out_dir.empty() && !to.file.empty())) {
    refuse("--watch needs one folder for the reports", "name it with -o FOLDER");
  }
  std::error_code error;
  if (std::filesystem::equivalent(folder, options.watch, error)) {
    refuse("the reports cannot be in the folder that is watched", "name another with -o");
  }
  ReportOptions one = options;
  one.outputs.file.clear();
  if (to.formats.empty()) one.outputs.formats = "csv,html";
  const auto report = [&](const std::string& path) {
    one.outputs.out_dir =
        (std::filesystem::path(folder) / std::filesystem::path(path).filename()).string();
    one.runs = {path};
    try {
      (void)write_report(one, one.specs(), streams);
    } catch (...) {
      std::error_code ignored;
      std::filesystem::remove(one.outputs.out_dir, ignored);  // if it is empty
      throw;
    }
    streams.out(fmt::format("{}: {}\n", path, one.outputs.out_dir));
    streams.finish();
  };
  return watch_folder(options.watch, report, streams);
}

/// A file of module trees, which has no start times: its labels by phase, and where the trees are.
Exit report_module_trees(const ReportOptions& options, const classify::RunSpec& spec,
                         Streams& streams) {
  const match::CompiledRules rules = compile_rules(options.rules, streams);
  session::Session session = open_session(rules, options.trace, streams);
  join_gpu(session, options.ncu.gpu, options.ncu.peaks);
  read_runs(session, {{spec}}, {.facts = facts::Set::of<tables::Tree>()}, streams);
  trees::ViewOptions how = trees::view_for_people();
  how.dimension = options.by;
  how.by_label = true;
  session.show_tree(how);
  const tables::Source& source = session.source();
  exports::tree_text(source, *source.tree->view, trees::Metric::cuda_time_ms,
                     {streams.color_out(), streams.out_width(), options.outputs.all},
                     [&streams](std::string_view text) { streams.out(text); });
  streams.out(fmt::format("\n  kr tree {}  the module trees\n", shell_word(spec.path)));
  streams.finish();
  return Exit::done;
}

bool is_module_trees(const OwnReportOptions& options, const std::vector<classify::RunSpec>& specs) {
  const OutputOptions& to = options.outputs;
  const bool answer = to.tables.empty() && to.file.empty() && to.out_dir.empty() &&
                      (to.formats.empty() || to.formats == "table") && options.save.empty();
  std::error_code ignored;
  return answer && specs.size() == 1 && specs[0].path != "-" &&
         (std::filesystem::is_regular_file(specs[0].path, ignored) ||
          std::filesystem::is_directory(specs[0].path, ignored)) &&
         trace::contains_module_trees(specs[0].path, options.trace.open);
}

Exit report(const OwnReportOptions& options, Streams& streams) {
  if (!options.watch.empty()) return watch_reports(options, streams);
  if (options.open) return open_report(options, streams);
  const std::vector<classify::RunSpec> specs = options.specs();
  if (is_module_trees(options, specs)) return report_module_trees(options, specs[0], streams);
  return write_report(options, specs, streams);
}

/// Options of the verb that shows all sections, too.
void add_analyze_options(CLI::App& app, OwnReportOptions& options) {
  options.sections = Sections::all;
  add_report_options(app, options);
}

void add_own_report_options(CLI::App& app, OwnReportOptions& options) {
  add_report_options(app, options);
  app.add_flag("--open", options.open,
               "Open the page in the browser ($BROWSER, else that of the system); it is written to "
               "-o FILE, else to a temporary file that stays");
  app.add_option("--watch", options.watch,
                 "Report each trace that appears in FOLDER, once it is complete, into a folder of "
                 "its own below -o DIR, until Ctrl-C")
      ->type_name("FOLDER");
}

}  // namespace

std::vector<classify::RunSpec> ReportOptions::specs() const {
  std::vector<std::string> all = runs;
  all.insert(all.end(), more_runs.begin(), more_runs.end());
  std::vector<classify::RunSpec> specs = parse_runs_and_folders(all);
  if (specs.empty()) {
    throw Error("", "no run given", fmt::format("name a trace: {} report TRACE", program().name));
  }
  return specs;
}

Exit write_report(const ReportOptions& options, const std::vector<classify::RunSpec>& specs,
                  Streams& streams, const BeforeReading& before) {
  const std::vector<JobSource> baselines = options.efficiency.jobs();
  const overview::Measure measure = overview::measure_named(options.measure);
  const match::CompiledRules rules = compile_rules(options.rules, streams);
  classify::named_dimension(rules.program(), options.by);
  OutputRules made = report_outputs(options.sections);
  if (!options.nccl_inspector.empty()) made.tables.emplace_back("nccl_inspector");
  const bool all_sections = options.sections == Sections::all || options.outputs.all;
  if (all_sections) {
    made.tables = exports::view_named("analyze").tables;
    made.page = exports::view_named("analyze").page_tables;
  }
  if (!options.changes.empty()) made.tables.insert(made.tables.begin(), "what_if");
  Outputs outputs(options.outputs, made, specs);
  if (!options.save.empty()) outputs.save(options.save, false);
  RooflineFile roofline(options.roofline, options.outputs.force);
  session::Session session = open_session(rules, options.trace, streams);
  options.ncu.join(session);
  if (roofline.wanted() && options.ncu.pages.empty())
    session.add_demand(facts::Set::of<cost::Roofs, analyze::LabelledTrace>());
  if (!options.nccl_inspector.empty()) session.join_nccl_inspector(options.nccl_inspector);
  options.job.apply(session);
  session.change(options.changes);
  options.efficiency.join(session, baselines, outputs.demand());
  std::vector<timeline::Timeline> timelines;
  const auto add_timeline = [&](const analyze::LabelledTrace& run,
                                const analyze::RunSummary& summary, size_t index) {
    if (!outputs.makes_timeline()) return;
    timelines.resize(index + 1);
    timelines[index] = timeline::make(rules, run, summary, page::timeline_limits(specs.size()));
  };
  // What is said of a job is said with any table of it.
  if (outputs.demand().facts != facts::Set::of<analyze::RunSummary>()) {
    session.add_demand(facts::Set::of<job::RankMembers>());
  }
  const bool with_modules =
      all_sections && specs.size() == 1 && outputs.makes("html") && !outputs.tables_named();
  if (with_modules) session.add_demand(facts::Set::of<trees::LabelledModules>());
  if (before) before(rules, session, outputs.demand());
  read_runs(session, specs, outputs, options.by, streams, Infos::hidden, add_timeline);
  const std::vector<size_t> places = session.source().sort_by_rank();
  if (!timelines.empty()) {
    timelines.resize(places.size());  // saved runs have none
    std::vector<timeline::Timeline> sorted;
    sorted.reserve(places.size());
    for (const size_t place : places) sorted.push_back(std::move(timelines[place]));
    timelines = std::move(sorted);
  }

  say_what_is_a_job(session.source(), streams);

  overview::Report report;
  report.title = options.title;
  report.by = options.by;
  report.measure = measure;
  for (const std::string& rules : options.rules.names) {
    report.options.insert(report.options.end(), {"--rules", rules});
  }
  for (const std::string& pages : options.ncu.pages) {
    report.report_options.insert(report.report_options.end(), {"--ncu", pages});
  }
  std::ranges::copy(options.trace.open.window.options(), std::back_inserter(report.options));
  report.runs = session.source().summaries();
  report.styles = picture::label_styles(rules.program(), report.runs);
  const overview::TableOptions style{
      .color = streams.color_out(), .width = streams.out_width(), .all_rows = options.outputs.all};
  const tables::Source& source = session.source();
  Outputs::OwnFormats own{{"html",
                           [&](const auto& out, auto tables) {
                             std::vector<Table> all(tables.begin(), tables.end());
                             if (with_modules) add_module_tree(session, options.by, all);
                             out(page::report_html(source, all, report, timelines));
                           }},
                          {"csv", [&](const auto& out, auto) { out(overview::to_csv(report)); }},
                          {"markdown", [&](const auto& out, auto tables) {
                             exports::report_markdown(source, report, tables, out);
                           }}};
  if (outputs.makes("table") && outputs.tables_named()) {
    streams.out(overview::run_facts(source, options.by, style));
  } else if (outputs.makes("table") && all_sections) {
    streams.out(exports::all_sections_text(source, report, style));
  } else if (!options.changes.empty()) {
    own["table"] = [&](const auto& out, auto tables) {
      out(overview::run_facts(source, options.by, style));
      std::vector<Table> answer;
      for (const Table& table : tables) {
        if (table.id() == "what_if") answer.push_back(table);
      }
      render::terminal(
          answer, out,
          {.color = style.color, .width = style.width, .several_runs = source.runs.size() > 1});
    };
  } else {
    own["table"] = [&](const auto& out, auto) {
      out(overview::answer_text(source, report, style));
    };
  }
  outputs.finish(source, own, streams);
  if (roofline.wanted()) write_roofline(roofline, source, report, streams);
  return Exit::done;
}

void add_report_options(CLI::App& app, ReportOptions& options) {
  app.add_option("RUN", options.runs, "PATH[,ENGINE,MODEL[,ELAPSED_SEC]]; `-` is standard input");
  app.add_option("--in_file,--in-file", options.more_runs,
                 "Same as RUN, for compatibility with gputrc2graph.py")
      ->type_name("RUN");
  app.add_option("--title", options.title, "Title of the page and the table")->configurable();
  app.add_option("--save", options.save,
                 "Save the sums of the runs as FILE.krun, which kr diff compares with other runs")
      ->type_name("FILE");
  app.add_option("--by", options.by, "Dimension to show first (default: substage)")
      ->type_name("DIM")
      ->configurable();
  app.add_option("--measure", options.measure,
                 "Which time of operations the printed table and the page show first: busy, "
                 "elapsed or total (default: busy)")
      ->type_name("MEASURE")
      ->configurable();
  options.add_to(app, report_outputs(options.sections));
  app.add_flag("--nsys-names", options.outputs.nsys_names,
               "CSV with the columns, titles and order of rows of the `nsys stats` report of that "
               "name, as nsys 2023 and later print it; --nsys-names=2022: as nsys 2022 does");
  app.add_option("--what-if", options.changes,
                 "How long the run and its steps would take with a change, such as "
                 "`substage/moe_gemm = roof`, `kind/communication = overlapped`, "
                 "`substage/gemm = 0.5x`, `name/flash_fwd = 12us`, `host = 0` (repeatable: each "
                 "alone and all together)")
      ->type_name("CHANGE")
      ->allow_extra_args(false)
      ->configurable();
  options.ncu.add_to(app);
  app.add_option("--nccl-inspector", options.nccl_inspector,
                 "What NCCL Inspector wrote beside the run (JSON lines), or a folder of it: the "
                 "table `nccl_inspector`")
      ->type_name("FILE_OR_FOLDER");
  options.job.add_to(app);
  options.efficiency.add_to(app);
  options.roofline.add_to(app);
}

const Verb report_verb{"report", "label a trace and show where its time goes",
                       "kr report trace.csv,vllm,llama,12.5 --out-dir results",
                       setup<OwnReportOptions, add_own_report_options, report>, "Traces"};
const Verb analyze_verb{"analyze", "the same as `kr report --all`, without files",
                        "kr analyze trace.json.gz --tables devices,layers",
                        setup<OwnReportOptions, add_analyze_options, report>, "Traces"};

}  // namespace kr::cli
