// What people read: pages, texts, pictures; and files of results. Apart from session.cpp: programs
// that make none do not link ECharts and Cairo.
#include "page/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/session_impl.hpp"
#include "base/error.hpp"
#include "base/join.hpp"
#include "base/nearest.hpp"
#include "coverage/suggest.hpp"
#include "export/chosen_tables.hpp"
#include "export/paraver_files.hpp"
#include "export/perfetto_trace.hpp"
#include "export/result_file.hpp"
#include "export/views.hpp"
#include "job/job.hpp"
#include "overview/rule_changes_text.hpp"
#include "overview/run_changes_text.hpp"
#include "picture/tree_picture.hpp"
#include "tables/difference.hpp"
#include "tables/explanation.hpp"
#include "tables/registry.hpp"
#include "tables/tree.hpp"
#include "trees/for_people.hpp"

namespace kr {
namespace {

using exports::View;

constexpr trees::Metric metric = trees::Metric::cuda_time_ms;

/// The format that is wanted, or else the one that the name of the file means. Throws Error.
const render::Renderer& format_of(const std::string& path, const std::string& wanted) {
  const std::vector<std::string> names = render::format_names(true);
  if (std::ranges::find(names, wanted) != names.end()) return render::renderer_named(wanted);
  if (!wanted.empty()) {
    throw Error("", fmt::format("`{}` is not a format", wanted), near_or_all(wanted, names));
  }
  const render::Renderer* const found = render::renderer_of_file(path, true);
  if (found != nullptr) return *found;
  throw Error(path, "its name does not say which format it has",
              "let it end in .html, .csv, .json or .md, or name the format");
}

trees::TreeView people_view(const Results& results, const TableOptions& options) {
  trees::ViewOptions how = trees::view_for_people();
  if (!options.level.empty()) how.level = trees::named_level(options.level);
  how.dimension = options.by;
  how.folds = options.folds;
  how.phase = options.phase;
  how.step = options.step;
  how.by_phase = !options.all_steps && !options.step;
  how.merge_siblings = !options.each_sibling;
  return {*results.rules, results.session.modules(0), how};
}

/// A verb's tables of what was read, and how they are shown.
struct Shown {
  const View& view;
  const render::Renderer& format;  // whose content is tables
  const std::string& title;
  const TextOptions& look;
  const TableOptions& options;
  const Results& results;
  std::vector<Table> tables = {};

  const tables::Source& source() const { return results.session.source(); }
  bool is_page() const { return !format.for_people; }
  bool is_text() const { return format.name == "table"; }
  overview::TableOptions text_look() const { return {look.color, look.width, look.all_rows}; }

  /// In the way of the verb, if it has one for the format; else as any tables.
  void write(const render::Bytes& out) const {
    const std::string_view verb = view.verb;
    if (verb == "report" || verb == "analyze") return report(out);
    if (verb == "tree" && is_page()) {
      return out(exports::tree_page(source(), people_view(results, options), metric));
    }
    if (verb == "tree" && is_text()) {
      return exports::tree_text(source(), people_view(results, options), metric, text_look(), out);
    }
    if (verb == "diff" && source().run_difference != nullptr) return changes(out);
    if (!is_text()) return any_tables(out);
    if (verb == "diff" && source().rules_difference != nullptr) {
      return overview::rule_changes_text(*source().rules_difference, {look.all_rows}, out);
    }
    if (verb == "coverage") {
      return out(overview::coverage_text(source(), *source().coverage, text_look()));
    }
    if (verb == "why") {
      return out(overview::why_text(*results.rules, *source().explanation, text_look()));
    }
    any_tables(out);
  }

 private:
  void report(const render::Bytes& out) const {
    overview::Report report;
    report.title = title;
    report.by = options.by;
    report.runs = source().summaries();
    report.styles = picture::label_styles(results.rules->program(), report.runs);
    if (is_text() && (view.verb == "analyze" || look.all_rows)) {
      out(exports::all_sections_text(source(), report, text_look()));
      return any_tables(out);
    }
    if (is_text()) return out(overview::answer_text(source(), report, text_look()));
    if (!is_page()) return exports::report_markdown(source(), report, tables, out);
    std::vector<timeline::Timeline> timelines = results.timelines;
    timelines.resize(source().runs.size());  // saved runs have none
    out(page::report_html(source(), tables, report, timelines));
  }
  void changes(const render::Bytes& out) const {
    if (is_page()) return out(page::diff_html(source(), tables, options.by, title));
    const overview::RunChangesOptions how{options.by, look.color, look.width,
                                          look.all_rows ? 0 : exports::max_shown_rows};
    const auto write = is_text() ? overview::run_changes_text : overview::run_changes_markdown;
    write(*source().run_difference, tables, how, out);
  }
  void any_tables(const render::Bytes& out) const {
    exports::write_tables(format, tables, out,
                          {.terminal = {.color = look.color,
                                        .width = look.width,
                                        .max_rows = look.all_rows ? 0 : exports::max_shown_rows,
                                        .short_form = !look.all_rows,
                                        .several_runs = source().runs.size() > 1},
                           .title = title.empty() ? std::string(view.stem) : title});
  }
};

}  // namespace

std::string Session::Impl::show(const View& view, const render::Renderer& format,
                                const std::string& title, const TextOptions& look) {
  const bool report = view.verb == "report" || view.verb == "analyze";
  const bool all = report && look.all_rows;
  const bool page = !format.for_people;
  exports::Definitions wanted =
      exports::definitions(all ? exports::view_named("analyze").tables : view.tables);
  session::Demand also;
  if (report) also.facts = facts::Set::of<analyze::RunSummary, analyze::ShownPhases>();
  const exports::Definitions of_page =
      page ? exports::definitions(view.page_tables) : exports::Definitions{};
  session::Demand more = session::Demand::of(of_page);
  more.if_saved = more.facts;
  also.add(more);
  if (report && page && runs.size() <= tables::max_ranks_in_full) {
    also.reads = facts::Reads::host;
    timeline_of = [this](const analyze::LabelledTrace& run, const analyze::RunSummary& summary) {
      return timeline::make(*rules, run, summary, page::timeline_limits(runs.size()));
    };
  }
  prepare(exports::with_description(wanted), also);
  if (std::none_of(wanted.begin(), wanted.end(),
                   [this](auto* one) { return absent(*one).empty(); })) {
    throw Error("", fmt::format("there is nothing that `kr {}` shows: {}", view.verb,
                                absent(*wanted.front())));
  }
  wanted.insert(wanted.end(), of_page.begin(), of_page.end());
  Shown shown{view, format, title, look, options.tables, *results};
  shown.tables = exports::choose_tables(source(), {.wanted = wanted,
                                                   .for_people = !page,
                                                   .by_scope = true,
                                                   .described = page,
                                                   .document = page,
                                                   .all_rows = look.all_rows})
                     .tables;
  std::string made;
  shown.write([&made](std::string_view bytes) { made += bytes; });
  return made;
}

std::string Session::page(const std::string& view, const std::string& title) {
  return impl_->show(exports::view_named(view), render::renderer_named("html"), title, {});
}

std::string Session::text(const std::string& view, const TextOptions& options) {
  return impl_->show(exports::view_named(view),
                     render::renderer_named(options.markdown ? "markdown" : "table"), {}, options);
}

std::vector<TreePicture> Session::tree_pictures() {
  const Definition& tree = *tables::find("tree");
  impl_->prepare({&tree});
  if (const std::string why = impl_->absent(tree); !why.empty()) {
    throw Error("", "there are no pictures of module trees: " + why);
  }
  std::vector<TreePicture> pictures;
  for (picture::Picture& one : picture::tree_pictures(
           impl_->rules->program(), people_view(*impl_->results, impl_->options.tables), metric)) {
    pictures.push_back({std::move(one.file_stem), std::move(one.svg)});
  }
  return pictures;
}

/// Every operation, with what a timeline shows of the host.
void Session::Impl::read_operations(facts::Set also, facts::Reads reads) {
  if (runs.empty()) throw Error("", "there is nothing to write", "add a run first");
  also |= facts::Set::of<analyze::RunSummary, analyze::LabelledTrace>();
  prepare({tables::find("operations")}, {.facts = also, .reads = facts::Reads::host | reads});
}

void Session::write(const std::string& path, const WriteOptions& options) {
  const render::Renderer& format = format_of(path, options.format);
  const View& view = exports::view_named(options.view);
  if (format.content == render::Content::runs) {
    exports::ParaverFiles files(path, options.force);
    impl_->read_operations(facts::Set::of<job::Members>(),
                           facts::Reads::details | facts::Reads::gpu_metrics);
    for (const tables::Run& run : impl_->source().runs) {
      files.add(*impl_->rules, run.get<analyze::LabelledTrace>());
    }
    files.write(impl_->source());
    return commit_all(files.files());
  }
  if (format.content == render::Content::run) {
    if (impl_->runs.size() > 1) {
      throw Error(path, fmt::format("a file of the format {} contains one run", format.name),
                  "write each run from a session of its own");
    }
    exports::ResultFile file(format, path, options.force);
    impl_->read_operations({}, {});
    const tables::Run& run = impl_->source().runs.at(0);
    file.write([&](const render::Bytes& out) {
      exports::write_perfetto_trace(*impl_->rules, run.get<analyze::LabelledTrace>(), run.summary,
                                    impl_->options.tables.by, out);
    });
    return file.file().commit();
  }
  const bool database = format.content == render::Content::database;
  const bool one_table = format.content == render::Content::table;
  const bool page = format.name == "html";
  exports::Definitions wanted = exports::named_definitions(options.tables);
  const exports::Definitions wholes = exports::wholes_of(wanted);
  if (one_table && wholes.size() != 1) {
    throw Error(path, "a CSV file contains one table", "name it");
  }
  exports::ResultFile file(format, path, options.force,
                           one_table ? exports::csv_begin(wholes[0]->info) : "");
  if (wanted.empty() && (format.for_people || page)) {
    const std::string made =
        impl_->show(view, format, options.title, {.markdown = format.name == "markdown"});
    file.write([&](const render::Bytes& out) { out(made); });
    return file.file().commit();
  }
  const bool named = !wanted.empty();
  if (!named) {
    wanted = database && view.verb != "tree"
                 ? exports::named_definitions(exports::database_tables())
                 : exports::definitions(view.tables);
  }
  impl_->prepare(exports::with_description(wanted));
  const exports::ChosenTables chosen =
      exports::choose_tables(impl_->source(), {.wanted = wanted,
                                               .named = named,
                                               .for_people = format.for_people,
                                               .by_scope = format.for_people || page,
                                               .described = !format.for_people && !one_table,
                                               .document = format.name == "json"});
  for (const auto& [id, why] : chosen.absent) {
    if (named) throw Error("", fmt::format("these runs have no table `{}`: {}", id, why));
  }
  file.write(chosen.tables,
             {.title = options.title.empty() ? std::string(view.stem) : options.title});
  file.file().commit();
}

}  // namespace kr
