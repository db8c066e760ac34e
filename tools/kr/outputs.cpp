#include "outputs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "base/error.hpp"
#include "base/join.hpp"
#include "base/own_output.hpp"
#include "export/chrome_trace.hpp"
#include "output_formats.hpp"
#include "page/pages.hpp"
#include "paraver_files.hpp"
#include "render/render.hpp"
#include "saved/codec.hpp"
#include "session.hpp"
#include "tables/registry.hpp"
#include "tables/run_names.hpp"
#include "text/numbers.hpp"
#include "trace/open.hpp"

namespace kr::cli {
namespace {

constexpr size_t max_rows = 20;

bool contains(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

std::vector<const tables::Definition*> definitions(const std::vector<std::string>& ids) {
  std::vector<const tables::Definition*> found;
  found.reserve(ids.size());
  for (const std::string& id : ids) found.push_back(tables::find(id));
  return found;
}

/// Tables that describe the results come with every selection, and first.
std::vector<const tables::Definition*> with_description(
    const std::vector<const tables::Definition*>& wanted) {
  const auto describes = [](const tables::Definition* one) { return one->info.describes_results; };
  std::vector<const tables::Definition*> all;
  std::copy_if(tables::all().begin(), tables::all().end(), std::back_inserter(all), describes);
  std::remove_copy_if(wanted.begin(), wanted.end(), std::back_inserter(all), describes);
  return all;
}

/// The first that all runs have, to be named in a message; else the first.
const tables::Definition& usual_table(const std::vector<const tables::Definition*>& wanted) {
  const auto usual = std::find_if(wanted.begin(), wanted.end(),
                                  [](const auto* one) { return one->absent == nullptr; });
  return usual == wanted.end() ? *wanted.front() : **usual;
}

/// How a CSV file of one table begins: with its first columns, which no version of kr changes.
std::string csv_begin(const std::vector<const tables::Definition*>& wanted,
                      const NsysNames& nsys_names) {
  if (wanted.size() != 1) return {};
  if (nsys_names.style_of(wanted[0]->info) != render::Alias::none) {
    const std::vector<table::AliasColumn>& columns = wanted[0]->info.alias;
    return fmt::format("{},{},", columns[0].title, columns[1].title);
  }
  const std::vector<table::Column>& columns = wanted[0]->info.columns;
  return columns.size() < 2 ? std::string() : fmt::format("{},{},", columns[0].id, columns[1].id);
}

}  // namespace

std::vector<std::string> run_tables() {
  std::vector<std::string> ids;
  for (const tables::Definition* one : tables::all()) {
    if (tables::is_about_runs(*one) && !one->info.describes_results) ids.push_back(one->info.id);
  }
  return ids;
}

std::vector<std::string> database_tables() {
  std::vector<std::string> ids = run_tables();
  std::erase_if(ids, [](const std::string& id) {
    const tables::Definition* const one = tables::find(id);
    return is_nsys_report(one->info);
  });
  return ids;
}

struct Outputs::Target {
  std::string format;
  std::optional<PendingFile> file = {};  // none: standard output
  std::optional<size_t> run = {};        // of a file per run
  std::vector<const tables::Definition*> wanted = {};
  bool one_table = false;                     // the format has one: the first wanted
  std::optional<session::Demand> saved = {};  // it is a saved run, which needs this
  bool printed = false;                       // the file is standard output
  bool empty = false;                         // nothing to write: no file appears

  Bytes sink(Streams& streams) {
    if (!file) return [&streams](std::string_view bytes) { streams.out(bytes); };
    return [this](std::string_view bytes) { file->write(bytes); };
  }
  /// Calls `make` with where to write.
  void write(const std::function<void(const Bytes&)>& make, Streams& streams) {
    const auto marked = [&](const Bytes& out) {
      if (file && format == markdown_format) out(fmt::format("{}\n\n", own_comment));
      make(out);
    };
    if (!file || file->path().extension() != ".gz") return marked(sink(streams));
    GzipWriter gzip(sink(streams));
    marked([&gzip](std::string_view bytes) { gzip.write(bytes); });
    gzip.finish();
  }
};

Outputs::~Outputs() = default;

Outputs::Outputs(const OutputOptions& options, const OutputRules& rules,
                 const std::vector<classify::RunSpec>& runs)
    : tables_named_(!options.tables.empty()),
      force_(options.force),
      all_rows_(options.all),
      whole_lists_(rules.whole_lists),
      statistics_(rules.statistics && options.nsys_names.empty()),
      collectives_(rules.collectives && runs.size() > 1),
      rank_collectives_(rules.collectives && runs.size() == 1),
      timeline_(rules.timeline),
      found_phases_(rules.found_phases && !tables_named_),
      nsys_names_(options.nsys_names),
      title_(rules.stem) {
  many_runs_ = runs.size() > tables::max_ranks_in_full;
  const std::string named_formats = options.formats.empty() && !options.file.empty()
                                        ? format_of_file(options.file, rules)
                                        : options.formats;
  const auto formats = named_formats.empty()
                           ? (tables_named_ ? std::vector<std::string>{"table"} : rules.without)
                           : parse_choices(named_formats, "--format", formats_of(rules));
  const std::vector<std::string> named =
      tables_named_ ? parse_tables(nsys_names_.with_ids(options.tables), rules) : rules.tables;
  const std::vector<const tables::Definition*> wanted = definitions(named);
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
    if (formats != std::vector{std::string(csv_format)} || !tables_named_) {
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
  for (const std::string& format : formats) {
    if (format == paraver_format) {
      if (options.file.empty() && !to_folder) {
        throw Error("", "--format paraver writes three files", "name them with -o FILE.prv");
      }
      paraver_ =
          std::make_unique<ParaverFiles>(to_folder ? folder / (rules.stem + "." + ending_of(format))
                                                   : std::filesystem::path(options.file),
                                         force_);
      continue;
    }
    const bool per_run = format == trace_format;
    const bool per_table = format == csv_format && (tables_named_ || rules.own_csv.empty());
    const size_t first = targets_.size();
    const bool shown =
        contains(rules.to_terminal, format) && (format == "table" || formats.size() == 1);
    if (per_table && !to_folder && !rules.any_tables && wanted.size() != 1) {
      throw Error(
          "", "a CSV file contains one table",
          fmt::format(
              "choose one, such as --tables {}, or use --out-dir to write one file per table",
              usual_table(wanted).info.id));
    }
    const std::string begin = format != csv_format ? ""
                              : per_table          ? csv_begin(wanted, nsys_names_)
                                                   : rules.own_csv;
    if (!options.file.empty()) {
      open(format, options.file, begin);
    } else if (!to_folder || shown) {
      print(format);
    } else if (per_run) {
      for (size_t i = 0; i < runs.size(); ++i) {
        const std::string number = runs.size() == 1 ? "" : fmt::format("_{}", i);
        open(format, folder / (trace::trace_stem(runs[i].path) + number + "." + ending_of(format)))
            .run = i;
      }
    } else if (per_table) {
      for (const tables::Definition* one : with_description(wanted)) {
        open(format, folder / (one->info.id + ".csv"), csv_begin({one}, nsys_names_)).wanted = {
            one};
      }
    } else {
      open(format, folder / (rules.stem + "." + ending_of(format)), begin);
    }
    for (size_t i = first; i < targets_.size(); ++i) {
      Target& target = targets_[i];
      target.one_table = per_table;
      if (!target.wanted.empty() || per_run) continue;
      const bool whole = format == database_format && !tables_named_ && !rules.database.empty();
      target.wanted = whole ? definitions(rules.database) : wanted;
    }
    if (per_run && !to_folder && runs.size() > 1) {
      throw Error("", fmt::format("a file of --format {} contains one run", format),
                  "use --out-dir, or give one run at a time");
    }
  }
}

Outputs::Target& Outputs::open(const std::string& format, const std::filesystem::path& path,
                               std::string_view begin) {
  if (format == database_format && path.extension() == ".gz") {
    throw Error(path.string(), "a database cannot be compressed", "remove .gz from the name");
  }
  PendingFile file(path);
  if (!force_) file.check_own(begin);
  return targets_.emplace_back(Target{format, std::move(file)});
}

void Outputs::save(const std::filesystem::path& path, bool module_trees) {
  saved::check_name(path.string());
  open(std::string(database_format), path).saved = session::Demand::of_saving(module_trees);
}

void Outputs::print(const std::string& format) {
  for (const Target& target : targets_) {
    if (target.file && !target.printed) continue;
    throw Error("",
                fmt::format("{} and {} cannot both go to standard output", target.format, format),
                "use --out-dir, or one --format at a time");
  }
  Target target{format};
  if (format == database_format) {
    if (isatty(STDOUT_FILENO) != 0) {
      throw Error("", "a database cannot be shown on a terminal", "name a file with -o");
    }
    // SQLite writes here and there in a file, which is copied at the end.
    target.file.emplace(PendingFile::standard_output());
    target.printed = true;
  }
  targets_.push_back(std::move(target));
}

bool Outputs::makes(std::string_view format) const {
  if (format == paraver_format) return paraver_ != nullptr;
  return std::any_of(targets_.begin(), targets_.end(),
                     [&](const Target& target) { return target.format == format; });
}

bool Outputs::makes_for_programs() const {
  return paraver_ != nullptr ||
         std::any_of(targets_.begin(), targets_.end(),
                     [](const Target& target) { return target.format != "table"; });
}

session::Demand Outputs::demand() const {
  using facts::Reads;
  session::Demand demand{.facts = facts::Set::of<analyze::RunSummary>()};
  for (const Target& target : targets_) {
    session::Demand one = target.saved.value_or(session::Demand::of(target.wanted));
    // A verb's own CSV has what operations are, not where they belong.
    const bool own_csv = target.format == csv_format && !target.one_table;
    if (own_csv) one.reads = Reads::nothing;
    if (collectives_ && !own_csv) one.facts |= facts::Set::of<job::Members>();
    if (rank_collectives_ && !own_csv) one.facts |= facts::Set::of<job::RankMembers>();
    demand.add(one);
  }
  // The page of an analysis.
  if (statistics_) demand.facts |= facts::Set::of<analyze::StepSums, analyze::Idle>();
  demand.each_operation = makes(trace_format) || makes(paraver_format);
  if (demand.each_operation || makes_timeline()) demand.reads = demand.reads | Reads::host;
  if (makes(paraver_format)) {
    demand.facts |= facts::Set::of<job::Members>();
    demand.reads = demand.reads | Reads::details | Reads::gpu_metrics;
  }
  if (found_phases_ && (makes("table") || makes(markdown_format) || makes("html"))) {
    demand.facts |= facts::Set::of<analyze::ShownPhases>();
  }
  return demand;
}

void Outputs::add_run(const match::CompiledRules& rules, const analyze::LabelledTrace& run,
                      const analyze::RunSummary& summary, size_t index, std::string_view by,
                      Streams& streams) {
  if (paraver_) paraver_->add(rules, run);
  for (Target& target : targets_) {
    if (target.format != trace_format || target.run.value_or(index) != index) continue;
    target.write(
        [&](const Bytes& out) { exports::write_chrome_trace(rules, run, summary, by, out); },
        streams);
  }
}

/// Of many ranks, what each has by itself makes a document too large to be read as a whole. Returns
/// what is to be said of it.
std::optional<tables::Note> Outputs::shorten(const tables::Source& source, const Target& target,
                                             std::vector<const tables::Definition*>& wanted,
                                             Streams& streams) {
  const bool read_whole = target.format == "json" || target.format == page_format;
  if (!read_whole || tables_named_ || all_rows_ || !tables::are_many_ranks(source)) return {};
  std::vector<std::string> left_out;
  std::erase_if(wanted, [&](const tables::Definition* one) {
    const bool leave = tables::has_rows_within_ranks(*one) && tables::absent(*one, source).empty();
    if (leave) left_out.push_back(one->info.id);
    return leave;
  });
  if (left_out.empty()) return {};
  const auto count = static_cast<int64_t>(left_out.size());
  tables::Note note{
      "", "info", "many-ranks",
      fmt::format("of {} ranks, {} with rows for each of them are left out ({}); --all has them, "
                  "and so has --tables",
                  text::grouped(static_cast<int64_t>(source.runs.size())),
                  text::counted(count, "table"), join(left_out, ", ")),
      count};
  streams.note(fmt::format("{}: {}", target.format, note.text));
  return note;
}

/// Those of the tables that these results have. Reports why a table that the user named is absent.
std::vector<Table> Outputs::present(const tables::Source& source, const Target& target,
                                    Streams& streams) {
  const bool for_people = is_for_people(target.format);
  const bool alone = for_people || target.one_table;
  auto wanted = alone ? target.wanted : with_description(target.wanted);
  const std::optional<tables::Note> shortened = shorten(source, target, wanted, streams);
  std::vector<Table> present;
  for (const tables::Definition* one : wanted) {
    const bool one_of_many = wanted.size() > 1 && !one->info.in_short_form;
    if (for_people && !tables_named_ && one_of_many) continue;
    const std::string absent = tables::absent(*one, source);
    const bool by_default = for_people && !tables_named_ && wanted.size() > 1;
    if (by_default && absent.empty() && one->shown_by_default && !one->shown_by_default(source))
      continue;
    if (absent.empty()) {
      table::Table made = tables::make(*one, source);
      if (shortened && one->info.id == "notes")
        made = tables::with_note(std::move(made), *shortened);
      if (for_people) {
        made = tables::with_run_names(std::move(made), source);
        if (!all_rows_ && !whole_lists_) {
          made = tables::slowest_first(std::move(made), *one, max_rows);
        }
      }
      present.push_back(std::move(made));
    } else if (tables_named_ && !one->info.describes_results &&
               reported_absent_.insert(one->info.id).second) {
      streams.warning(fmt::format("table `{}` is absent: {}", one->info.id, absent));
    }
  }
  return present;
}

void Outputs::finish(const tables::Source& source, const OwnFormats& own, Streams& streams) {
  several_runs_ = source.runs.size() + source.other_runs.size() > 1;
  for (Target& target : targets_) {
    const std::string& format = target.format;
    if (format == trace_format) continue;
    if (target.saved) {
      session::save(source, target.file->aside().string(), target.file->path().string());
      continue;
    }
    const std::vector<Table> tables = present(source, target, streams);
    const auto writer = own.find(format);
    if (writer == own.end() || target.one_table || tables_named_) {
      write_tables(target, tables, streams);
    } else {
      target.write([&](const Bytes& out) { writer->second(out, tables); }, streams);
    }
  }
  if (paraver_) paraver_->write(source, streams);
  appear(streams);
}

void Outputs::write(const tables::Source& source, const Table& table, Streams& streams) {
  for (Target& target : targets_) {
    std::vector<Table> tables;
    if (!is_for_people(target.format) && !target.one_table) {
      for (const auto* one : with_description({})) tables.push_back(tables::make(*one, source));
    }
    tables.push_back(table);
    write_tables(target, tables, streams);
  }
  appear(streams);
}

void Outputs::write_tables(Target& target, const std::vector<Table>& tables, Streams& streams) {
  const std::string& format = target.format;
  if (format == database_format) {
    return render::sqlite(tables, target.file->aside().string(), target.file->path().string());
  }
  if (target.one_table && tables.empty()) {
    target.empty = true;
    return;
  }
  const auto make = [&](const Bytes& out) {
    if (format == "csv") {
      return render::csv(tables[0], out, {.alias = nsys_names_.style_of(tables[0].info())});
    }
    if (format == "json") return render::json(tables, out);
    if (format == "jsonl") return render::json_lines(tables, out);
    if (format == markdown_format) return render::markdown(tables, out);
    if (format == "html") return out(page::tables_html(tables, title_));
    return render::terminal(tables, out,
                            {.color = !target.file && streams.color_out(),
                             .width = target.file ? 0 : streams.out_width(),
                             .max_rows = all_rows_ || whole_lists_ ? 0 : max_rows,
                             .short_form = !all_rows_,
                             .several_runs = several_runs_});
  };
  target.write(make, streams);
}

void Outputs::appear(Streams& streams) {
  streams.finish();
  std::vector<PendingFile*> files;
  for (Target& target : targets_) {
    if (target.file && !target.empty) files.push_back(&*target.file);
  }
  if (paraver_) {
    for (PendingFile* file : paraver_->files()) files.push_back(file);
  }
  commit_all(files);
  for (const Target& target : targets_) {
    if (!target.file || target.printed || target.empty) continue;
    streams.note(fmt::format("wrote {}", target.file->path().string()));
  }
  if (!paraver_) return;
  for (const PendingFile* file : paraver_->files()) {
    streams.note(fmt::format("wrote {}", file->path().string()));
  }
}

}  // namespace kr::cli
