#include "outputs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "report/chrome_trace.hpp"
#include "report/sqlite_report.hpp"
#include "session.hpp"
#include "trace/open.hpp"

namespace kr::cli {
namespace {

/// One file a run, and every operation in it.
constexpr std::string_view trace_format = "perfetto";
/// One file of all runs, and every operation in it.
constexpr std::string_view database_format = "sqlite";

bool contains(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// Of files in a folder.
std::string ending_of(std::string_view format) {
  return format == trace_format ? "trace.json.gz" : std::string(format);
}

}  // namespace

void OutputOptions::add_to(CLI::App& app, std::string_view formats_help) {
  app.add_option("--format", formats, std::string(formats_help))->type_name("LIST");
  app.add_option("--out-dir,--out_dir", out_dir, "Folder for files (made where missing)")
      ->type_name("DIR");
  app.add_option("-o,--output", file, "File for the one format named; packed if it ends in .gz")
      ->type_name("FILE");
}

struct Outputs::Target {
  std::string format;
  std::optional<PendingFile> file = {};         // none: standard output
  std::optional<size_t> run = {};               // of a file a run
  bool printed = false;                         // the file is standard output
  std::unique_ptr<SqliteReport> database = {};  // once there is a run

  ByteSink sink(Streams& streams) {
    if (!file) return [&streams](std::string_view bytes) { streams.out(bytes); };
    return [this](std::string_view bytes) { file->write(bytes); };
  }
  /// Calls `make` with where to write.
  void write(const std::function<void(const ByteSink&)>& make, Streams& streams) {
    if (!file || file->path().extension() != ".gz") return make(sink(streams));
    GzipWriter gzip(sink(streams));
    make([&gzip](std::string_view bytes) { gzip.write(bytes); });
    gzip.finish();
  }
};

Outputs::~Outputs() = default;

Outputs::Outputs(const OutputOptions& options, const OutputRules& rules,
                 const std::vector<RunSpec>& specs) {
  const auto formats = options.formats.empty()
                           ? rules.without
                           : parse_choices(options.formats, "--format", rules.formats);
  if (!options.file.empty() && !options.out_dir.empty()) {
    throw Error("", "-o names a file and --out-dir a folder", "give one of them");
  }
  if (!options.file.empty() && (options.formats.empty() || formats.size() != 1)) {
    throw Error("", "-o is for one format", "name it with --format");
  }
  const bool to_folder =
      !options.out_dir.empty() || (options.formats.empty() && rules.files_without);
  const std::filesystem::path folder = options.out_dir.empty() ? "." : options.out_dir;
  if (to_folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw Error(folder.string(), "cannot be made: " + error.message());
  }
  for (const std::string& format : formats) {
    const bool a_run = format == trace_format;
    const bool shown =
        contains(rules.to_terminal, format) && (format == "table" || formats.size() == 1);
    if (!options.file.empty()) {
      open(format, options.file);
    } else if (to_folder && !shown && !a_run) {
      open(format, folder / (rules.stem + "." + ending_of(format)));
    } else if (to_folder && !shown) {
      for (size_t i = 0; i < specs.size(); ++i) {
        const std::string number = specs.size() == 1 ? "" : fmt::format("_{}", i);
        open(format, folder / (run_id(specs[i].path) + number + "." + ending_of(format))).run = i;
      }
    } else {
      print(format);
    }
    if (a_run && !to_folder && specs.size() > 1) {
      throw Error("", fmt::format("a file of --format {} holds one run", format),
                  "give --out-dir, or one run at a time");
    }
  }
}

Outputs::Target& Outputs::open(const std::string& format, const std::filesystem::path& path) {
  if (format == database_format) {
    if (path.extension() == ".gz") {
      throw Error(path.string(), "a database is not packed", "leave the .gz out");
    }
    if (!SqliteReport::may_replace(path)) {
      throw Error(path.string(), "is there, and no database that kr wrote",
                  "write to another file, or remove it first");
    }
  }
  return targets_.emplace_back(Target{format, PendingFile(path)});
}

void Outputs::print(const std::string& format) {
  for (const Target& target : targets_) {
    if (target.file && !target.printed) continue;
    throw Error("",
                fmt::format("{} and {} cannot both go to standard output", target.format, format),
                "give --out-dir, or one --format at a time");
  }
  Target target{format};
  if (format == database_format) {
    if (isatty(STDOUT_FILENO) != 0) {
      throw Error("", "a database is nothing for a terminal", "name a file with -o");
    }
    // SQLite writes here and there in a file, which is copied at the end.
    target.file.emplace(PendingFile::standard_output());
    target.printed = true;
  }
  targets_.push_back(std::move(target));
}

bool Outputs::makes(std::string_view format) const {
  return std::any_of(targets_.begin(), targets_.end(),
                     [&](const Target& target) { return target.format == format; });
}

bool Outputs::wants_traces() const {
  return makes(trace_format) || makes(database_format);
}

void Outputs::add_run(const CompiledRules& rules, const LabelledTrace& run,
                      const RunSummary& summary, size_t index, std::string_view by,
                      Streams& streams) {
  for (Target& target : targets_) {
    if (target.format == database_format) {
      if (!target.database) {
        target.database = std::make_unique<SqliteReport>(target.file->aside().string(),
                                                         target.file->path().string(), rules);
      }
      target.database->add(run, summary);
    }
    if (target.format != trace_format || target.run.value_or(index) != index) continue;
    target.write([&](const ByteSink& sink) { write_chrome_trace(rules, run, summary, by, sink); },
                 streams);
  }
}

void Outputs::finish(const std::function<std::string(const std::string&)>& text, Streams& streams) {
  for (Target& target : targets_) {
    if (target.database) target.database->finish();
    if (target.format == trace_format || target.format == database_format) continue;
    target.write([&](const ByteSink& sink) { sink(text(target.format)); }, streams);
  }
  streams.finish();
  std::vector<PendingFile*> files;
  for (Target& target : targets_) {
    if (target.file) files.push_back(&*target.file);
  }
  commit_all(files);
  for (const Target& target : targets_) {
    if (!target.file || target.printed) continue;
    streams.note(fmt::format("wrote {}", target.file->path().string()));
  }
}

}  // namespace kr::cli
