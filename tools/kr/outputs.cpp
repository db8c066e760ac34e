#include "outputs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/join.hpp"
#include "export/chosen_tables.hpp"
#include "export/paraver_files.hpp"
#include "export/perfetto_manifest.hpp"
#include "export/perfetto_trace.hpp"
#include "export/result_file.hpp"
#include "render/renderers.hpp"
#include "saved/codec.hpp"
#include "session.hpp"
#include "tables/registry.hpp"
#include "tables/scoped.hpp"
#include "trace/open.hpp"

namespace kr::cli {
namespace {

using exports::definitions;
using exports::named_definitions;
using exports::wholes_of;
using exports::with_description;
using render::Content;

bool contains(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// The first that all runs have, to be named in a message; else the first.
const tables::Definition& usual_table(const std::vector<const tables::Definition*>& wanted) {
  const auto usual = std::find_if(wanted.begin(), wanted.end(),
                                  [](const auto* one) { return one->absent == nullptr; });
  return tables::whole_of(usual == wanted.end() ? *wanted.front() : **usual);
}

/// Of `--tables`: ids. Throws Error.
std::vector<std::string> parse_tables(const std::string& list, const OutputRules& rules) {
  std::vector<std::string> choices = rules.tables;
  choices.insert(choices.end(), rules.more_tables.begin(), rules.more_tables.end());
  for (const tables::Definition* one : tables::all()) {
    if (one->info.describes_results) choices.push_back(one->info.id);
  }
  choices = exports::whole_ids(choices);
  std::vector<std::string> parts;
  for (const std::string& whole : choices) {
    for (const tables::Definition* part : tables::parts_of(tables::known_table(whole))) {
      parts.push_back(part->info.id);
    }
  }
  return parse_choices(list, "--tables", choices, parts);
}

}  // namespace

struct Outputs::Target {
  const render::Renderer& format;
  std::optional<exports::ResultFile> file = {};  // none: standard output
  std::optional<size_t> run = {};                // of a file per run
  std::vector<const tables::Definition*> wanted = {};
  std::vector<const tables::Definition*> also = {};  // of runs that can have them
  bool one_table = false;                            // the format has one: the first wanted
  std::optional<session::Demand> saved = {};         // it is a saved run, which needs this
  bool printed = false;                              // the file is standard output
  bool empty = false;                                // nothing to write: no file appears

  /// Calls `make` with where to write.
  void write(const std::function<void(const Bytes&)>& make, Streams& streams) {
    if (file) return file->write(make);
    make([&streams](std::string_view bytes) { streams.out(bytes); });
  }
};

Outputs::~Outputs() = default;

Outputs::Outputs(const OutputOptions& options, const OutputRules& rules,
                 const std::vector<classify::RunSpec>& runs)
    : rows_(options.rows),
      bound_(options.bound),
      tables_named_(!options.tables.empty()),
      force_(options.force),
      all_rows_(options.all),
      whole_lists_(rules.whole_lists),
      timeline_(rules.timeline),
      found_phases_(rules.found_phases && !tables_named_),
      nsys_names_(options.nsys_names),
      title_(rules.stem) {
  many_runs_ = runs.size() > tables::max_ranks_in_full;
  std::string named_formats = options.formats;
  if (const auto* of_file = render::renderer_of_file(options.file, rules.operations);
      named_formats.empty() && of_file != nullptr) {
    named_formats = of_file->name;
  }
  const auto formats =
      named_formats.empty()
          ? (tables_named_ ? std::vector<std::string>{"table"} : rules.without)
          : parse_choices(named_formats, "--format", render::format_names(rules.operations));
  const std::vector<std::string> named =
      tables_named_ ? parse_tables(nsys_names_.with_ids(options.tables), rules) : rules.tables;
  const std::vector<const tables::Definition*> wanted =
      tables_named_ ? named_definitions(named) : definitions(named);
  const std::vector<const tables::Definition*> wholes = wholes_of(wanted);
  if (tables_named_) {
    for (const std::string& id : named) {
      if (tables::find_whole(id) == nullptr) named_parts_.insert(id);
    }
  }
  if (!rows_.empty() && wholes.size() != 1) {
    throw Error("", "--where and --sort are about one table",
                rules.any_tables
                    ? "write them in the query"
                    : fmt::format("choose one, such as --tables {}", usual_table(wanted).info.id));
  }
  if (!options.file.empty() && !options.out_dir.empty()) {
    throw Error("", "-o names a file and --out-dir a folder", "use only one of them");
  }
  if (!options.file.empty() && named_formats.empty()) {
    throw Error(options.file, "-o writes one format, and the name does not say which",
                "add an extension, such as .html, .csv, .json or .md, or use --format");
  }
  if (!options.file.empty() && formats.size() != 1) {
    throw Error(options.file, "-o writes one format", "name one with --format");
  }
  if (nsys_names_.wanted()) {
    if (formats != std::vector<std::string>{"csv"} || !tables_named_) {
      throw Error("", "--nsys-names is about CSV of named tables",
                  "use it with --format csv --tables cuda_gpu_kern_sum");
    }
    nsys_names_.check(wanted, runs.size());
  }
  const bool to_folder =
      !options.out_dir.empty() || (named_formats.empty() && !tables_named_ && rules.files_without);
  const std::filesystem::path folder = options.out_dir.empty() ? "." : options.out_dir;
  if (to_folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw Error(folder.string(), "cannot be created: " + error.message());
  }
  for (const std::string& name : formats) {
    const render::Renderer& format = render::renderer_named(name);
    const std::filesystem::path in_folder =
        folder / fmt::format("{}.{}", rules.stem, format.ending);
    if (format.content == Content::runs) {
      if (options.file.empty() && !to_folder) {
        throw Error("", fmt::format("--format {} writes three files", name),
                    fmt::format("name them with -o FILE.{}", format.ending));
      }
      paraver_ = std::make_unique<exports::ParaverFiles>(
          to_folder ? in_folder : std::filesystem::path(options.file), force_);
      continue;
    }
    const bool per_run = format.content == Content::run;
    const bool own_csv = !tables_named_ && !rules.own_csv.empty();
    const bool per_table = format.content == Content::table && !own_csv;
    const size_t first = targets_.size();
    const bool shown =
        contains(rules.to_terminal, name) && (name == "table" || formats.size() == 1);
    if (per_table && !to_folder && !rules.any_tables && wholes.size() != 1) {
      throw Error(
          "", "a CSV file contains one table",
          fmt::format(
              "choose one, such as --tables {}, or use --out-dir to write one file per table",
              usual_table(wanted).info.id));
    }
    const auto begin_of = [&](const tables::Definition* one) {
      return exports::csv_begin(one->info, nsys_names_.style_of(one->info));
    };
    std::string begin;
    if (format.content == Content::table) {
      begin = own_csv ? rules.own_csv : wholes.size() == 1 ? begin_of(wholes[0]) : "";
    }
    if (!options.file.empty()) {
      open(format, options.file, begin);
    } else if (!to_folder || shown) {
      print(format);
    } else if (per_run) {
      for (size_t i = 0; i < runs.size(); ++i) {
        const std::string number = runs.size() == 1 ? "" : fmt::format("_{}", i);
        const std::string stem = trace::trace_stem(runs[i].path) + number;
        open(format, folder / fmt::format("{}.{}", stem, format.ending)).run = i;
      }
      if (runs.size() > 1) {
        manifest_ = std::make_unique<PendingFile>(folder / exports::perfetto_manifest_name);
        if (!force_) render::check_own(*manifest_);
      }
    } else if (per_table) {
      const std::vector<const tables::Definition*> all = with_description(wanted);
      for (const tables::Definition* whole : wholes_of(all)) {
        Target& target = open(format, folder / fmt::format("{}.{}", whole->info.id, format.ending),
                              begin_of(whole));
        std::copy_if(all.begin(), all.end(), std::back_inserter(target.wanted),
                     [&](const auto* one) { return &tables::whole_of(*one) == whole; });
      }
    } else {
      open(format, in_folder, begin);
    }
    for (size_t i = first; i < targets_.size(); ++i) {
      Target& target = targets_[i];
      target.one_table = per_table;
      if (!target.wanted.empty() || per_run) continue;
      const bool whole =
          format.content == Content::database && !tables_named_ && !rules.database.empty();
      target.wanted = whole ? named_definitions(rules.database) : wanted;
      if (name == "html" && !tables_named_) target.also = definitions(rules.page);
    }
    if (per_run && !to_folder && runs.size() > 1) {
      throw Error("", fmt::format("a file of --format {} contains one run", name),
                  "use --out-dir, or give one run at a time");
    }
  }
}

Outputs::Target& Outputs::open(const render::Renderer& format, const std::filesystem::path& path,
                               std::string_view begin) {
  return targets_.emplace_back(Target{format, exports::ResultFile(format, path, force_, begin)});
}

void Outputs::save(const std::filesystem::path& path, bool module_trees) {
  saved::check_name(path.string());
  open(render::renderer_named("sqlite"), path).saved = session::Demand::of_saving(module_trees);
}

void Outputs::print(const render::Renderer& format) {
  for (const Target& target : targets_) {
    if (target.file && !target.printed) continue;
    throw Error(
        "",
        fmt::format("{} and {} cannot both go to standard output", target.format.name, format.name),
        "use --out-dir, or one --format at a time");
  }
  Target target{format};
  if (format.content == Content::database) {
    if (isatty(STDOUT_FILENO) != 0) {
      throw Error("", "a database cannot be shown on a terminal", "name a file with -o");
    }
    target.file.emplace(exports::ResultFile::standard_output(format));
    target.printed = true;
  }
  targets_.push_back(std::move(target));
}

bool Outputs::makes(std::string_view format) const {
  return std::any_of(targets_.begin(), targets_.end(),
                     [&](const Target& target) { return target.format.name == format; });
}

bool Outputs::makes_for_programs() const {
  return paraver_ != nullptr ||
         std::any_of(targets_.begin(), targets_.end(),
                     [](const Target& target) { return target.format.name != "table"; });
}

session::Demand Outputs::demand() const {
  using facts::Reads;
  session::Demand demand{.facts = facts::Set::of<analyze::RunSummary>()};
  for (const Target& target : targets_) {
    session::Demand one = target.saved.value_or(session::Demand::of(target.wanted));
    session::Demand more = session::Demand::of(target.also);
    more.if_saved = more.facts;
    one.add(more);
    // A verb's own CSV has what operations are, not where they belong.
    const bool own_csv = target.format.content == Content::table && !target.one_table;
    if (own_csv) {
      const bool each = one.facts.has<analyze::LabelledTrace>();
      one = {.facts = facts::Set::of<analyze::RunSummary>(), .each_operation = one.each_operation};
      if (each) one.facts |= facts::Set::of<analyze::LabelledTrace>();
    }
    demand.add(one);
  }
  const auto of_run = [](const Target& target) { return target.format.content == Content::run; };
  demand.each_operation = paraver_ || std::any_of(targets_.begin(), targets_.end(), of_run);
  if (demand.each_operation || makes_timeline()) demand.reads = demand.reads | Reads::host;
  if (paraver_ || manifest_) demand.facts |= facts::Set::of<job::Members>();
  if (paraver_) {
    demand.reads = demand.reads | Reads::details | Reads::gpu_metrics;
  }
  if (found_phases_ && (makes("table") || makes("markdown") || makes("html"))) {
    demand.facts |= facts::Set::of<analyze::ShownPhases>();
  }
  return demand;
}

void Outputs::add_run(const match::CompiledRules& rules, const analyze::LabelledTrace& run,
                      const analyze::RunSummary& summary, size_t index, std::string_view by,
                      Streams& streams) {
  if (paraver_) paraver_->add(rules, run);
  for (Target& target : targets_) {
    if (target.format.content != Content::run || target.run.value_or(index) != index) continue;
    target.write(
        [&](const Bytes& out) { exports::write_perfetto_trace(rules, run, summary, by, out); },
        streams);
  }
}

/// Those of the tables that these results have. Reports why a table that the user named is absent.
std::vector<Table> Outputs::present(const tables::Source& source, const Target& target,
                                    Streams& streams) {
  const bool for_people = target.format.for_people;
  std::vector<const tables::Definition*> wanted = target.wanted;
  wanted.insert(wanted.end(), target.also.begin(), target.also.end());
  exports::ChosenTables chosen = exports::choose_tables(
      source, {.wanted = wanted,
               .named = tables_named_,
               .for_people = for_people,
               .by_scope = for_people || target.format.name == "html",
               .described = !for_people && !target.one_table,
               .document = target.format.name == "json" || target.format.name == "html",
               .all_rows = all_rows_ || whole_lists_});
  if (chosen.shortened) {
    streams.note(fmt::format("{}: {}", target.format.name, chosen.shortened->text));
  }
  if (!for_people && target.format.name != "html") {
    for (const std::string& id : named_parts_) {
      const tables::Definition& part = *tables::find(id);
      const tables::Definition& whole = tables::whole_of(part);
      streams.note(fmt::format("table `{}`: {}", id, tables::where_in(whole, part)));
    }
    named_parts_.clear();
  }
  for (const auto& [id, why] : chosen.absent) {
    if (!tables_named_ || !reported_absent_.insert(id).second) continue;
    streams.warning(fmt::format("table `{}` is absent: {}", id, why));
  }
  return std::move(chosen.tables);
}

/// Rows left out are counted on standard error, and in the table `notes`.
void Outputs::choose_rows(std::vector<Table>& tables, const tables::Source& source,
                          Streams& streams) {
  if (rows_.empty() && bound_.empty()) return;
  session::RowBound left = bound_;
  std::vector<std::string> said;
  for (Table& table : tables) {
    if (table.info().describes_results && tables.size() > 1) continue;
    session::BoundedRows some = session::chosen_rows(table, source, rows_, left);
    table = std::move(some.table);
    if (left.max_bytes > 0) left.max_bytes = std::max<size_t>(1, left.max_bytes - some.bytes);
    if (some.shown == some.all) continue;
    said.push_back(fmt::format("table `{}`: {} of {} rows", table.id(), some.shown, some.all));
  }
  for (Table& table : tables) {
    if (table.id() != "notes" || tables.size() == 1) continue;
    for (const std::string& text : said) {
      table = tables::with_note(std::move(table), {"", "info", "rows-left-out", text, {}});
    }
  }
  if (std::exchange(rows_noted_, true)) return;
  for (const std::string& text : said) streams.note(text);
}

/// A terminal does not show tables without rows. Not of tables that may be long: it counts.
void Outputs::name_empty(const std::vector<Table>& tables, Streams& streams) {
  for (const Table& table : tables) {
    if (table.info().many_rows) continue;
    bool any = false;
    table::RowsTo count([&any](std::span<const Cell>) { any = true; });
    table.write(count);
    if (!any) streams.note(fmt::format("table `{}` has no rows", table.id()));
  }
}

void Outputs::finish(const tables::Source& source, const OwnFormats& own, Streams& streams) {
  several_runs_ = source.runs.size() + source.other_runs.size() > 1;
  for (Target& target : targets_) {
    if (target.format.content == Content::run) continue;
    if (target.saved) {
      PendingFile& file = target.file->file();
      session::save(source, file.aside().string(), file.path().string());
      continue;
    }
    std::vector<Table> tables = present(source, target, streams);
    choose_rows(tables, source, streams);
    if (tables_named_ && target.format.name == "table") name_empty(tables, streams);
    const auto writer = own.find(target.format.name);
    if (writer == own.end() || target.one_table || tables_named_) {
      write_tables(target, tables, streams);
    } else {
      target.write([&](const Bytes& out) { writer->second(out, tables); }, streams);
    }
  }
  if (paraver_) {
    if (const std::string warning = paraver_->warning(); !warning.empty()) streams.warning(warning);
    paraver_->write(source);
  }
  if (manifest_) {
    std::vector<std::string> names(source.runs.size());
    for (const Target& target : targets_) {
      if (target.run) names[*target.run] = target.file->file().path().filename().string();
    }
    manifest_->write(exports::perfetto_manifest(source, names));
  }
  appear(streams);
}

void Outputs::write(const tables::Source& source, const Table& table, Streams& streams) {
  for (Target& target : targets_) {
    std::vector<Table> tables;
    if (!target.format.for_people && !target.one_table) {
      for (const auto* one : with_description({})) tables.push_back(tables::make(*one, source));
    }
    tables.push_back(table);
    choose_rows(tables, source, streams);
    write_tables(target, tables, streams);
  }
  appear(streams);
}

void Outputs::write_tables(Target& target, const std::vector<Table>& tables, Streams& streams) {
  if (target.one_table && tables.empty()) {
    target.empty = true;
    return;
  }
  exports::TableStyle style{
      .terminal = {.max_rows = all_rows_ || whole_lists_ || bound_.max_rows > 0
                                   ? 0
                                   : exports::max_shown_rows,
                   .short_form = !all_rows_,
                   .several_runs = several_runs_},
      .title = title_};
  if (target.one_table) style.alias = nsys_names_.style_of(tables[0].info());
  if (target.file) return target.file->write(tables, style);
  style.terminal.color = streams.color_out();
  style.terminal.width = streams.out_width();
  target.write([&](const Bytes& out) { exports::write_tables(target.format, tables, out, style); },
               streams);
}

void Outputs::appear(Streams& streams) {
  streams.finish();
  std::vector<PendingFile*> files;
  for (Target& target : targets_) {
    if (target.file && !target.empty) files.push_back(&target.file->file());
  }
  if (paraver_) {
    for (PendingFile* file : paraver_->files()) files.push_back(file);
  }
  if (manifest_) files.push_back(manifest_.get());
  commit_all(files);
  for (const Target& target : targets_) {
    if (!target.file || target.printed || target.empty) continue;
    streams.note(fmt::format("wrote {}", target.file->file().path().string()));
  }
  if (manifest_) streams.note(fmt::format("wrote {}", manifest_->path().string()));
  if (!paraver_) return;
  for (const PendingFile* file : paraver_->files()) {
    streams.note(fmt::format("wrote {}", file->path().string()));
  }
}

void OutputOptions::add_to(CLI::App& app, const OutputRules& rules) {
  app.add_option(
         "--format", formats,
         fmt::format("Output formats, separated by commas: {} (default: {}); written to "
                     "standard output unless --out-dir is given",
                     join(render::format_names(rules.operations), ", "), join(rules.without, ", ")))
      ->type_name("LIST");
  if (!rules.any_tables) {
    app.add_option(
           "--tables,--only", tables,
           fmt::format(
               "Tables, separated by commas (default: {}){}; `kr list tables` describes them",
               join(exports::whole_ids(rules.tables), ", "),
               rules.more_tables.empty() ? "" : "; all tables about runs are allowed"))
        ->type_name("LIST")
        ->check(project_check(
            [rules](const std::string& list) { parse_tables(NsysNames().with_ids(list), rules); }))
        ->configurable();
  }
  if (!rules.any_tables) {
    app.add_option("--where", rows.where,
                   "Of one table only rows for which this condition of SQL over its columns holds: "
                   "\"substage = 'gemm' AND total_ns > 1e6\"")
        ->type_name("CONDITION");
    app.add_option("--sort", rows.sort,
                   "Order rows of one table by this column: its largest numbers first, its texts "
                   "from A; --sort=-COLUMN: the other way round")
        ->type_name("COLUMN");
  }
  app.add_option(
         "--max-rows", bound.max_rows,
         "At most this many rows of each table, in every format (default: 20 on a terminal, "
         "else all)")
      ->type_name("N")
      ->check(whole_number(1));
  app.add_option("--max-bytes", bound.max_bytes,
                 "At most this many bytes of rows, as JSON has them: rows behind are left out")
      ->type_name("N")
      ->check(whole_number(1));
  app.add_option("--out-dir,--out_dir,--output-directory", out_dir,
                 "Folder for output files (created if missing)")
      ->type_name("DIR");
  app.add_option("-o,--output", file, "Output file, for one format; compressed if it ends in .gz")
      ->type_name("FILE");
  app.add_flag("--all", all,
               "Show all rows and columns of tables on a terminal; of many ranks, all tables in "
               "JSON and pages")
      ->configurable();
  app.add_flag("--force", force, "Replace existing files that kr did not write");
}

void RunVerbOptions::add_to(CLI::App& app, const OutputRules& made, PhaseOption phase) {
  outputs.add_to(app, made);
  rules.add_to(app);
  trace.add_to(app, phase);
}

}  // namespace kr::cli
