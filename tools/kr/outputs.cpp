#include "outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "report/chrome_trace.hpp"
#include "session.hpp"
#include "trace/open.hpp"

namespace kr::cli {
namespace {

/// One file a run, and every operation in it.
constexpr std::string_view trace_format = "perfetto";

bool contains(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// Of files in a folder.
std::string ending_of(std::string_view format) {
  return format == trace_format ? "trace.json.gz" : std::string(format);
}

void keep_inputs(const std::filesystem::path& path, const std::vector<RunSpec>& specs) {
  for (const RunSpec& spec : specs) {
    std::error_code error;
    if (spec.path != "-" && std::filesystem::equivalent(path, spec.path, error)) {
      throw Error(path.string(), "is a trace that is read: it would be written over",
                  "write to another file");
    }
  }
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
  std::optional<PendingFile> file;  // none: standard output
  std::optional<size_t> run;        // of a file a run

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
  std::string printed;
  for (const std::string& format : formats) {
    const bool a_run = format == trace_format;
    const bool shown =
        contains(rules.to_terminal, format) && (format == "table" || formats.size() == 1);
    if (!options.file.empty()) {
      open(format, options.file, specs);
    } else if (to_folder && !shown && !a_run) {
      open(format, folder / (rules.stem + "." + ending_of(format)), specs);
    } else if (to_folder && !shown) {
      for (size_t i = 0; i < specs.size(); ++i) {
        const std::string number = specs.size() == 1 ? "" : fmt::format("_{}", i);
        open(format, folder / (run_id(specs[i].path) + number + "." + ending_of(format)), specs);
        targets_.back().run = i;
      }
    } else if (printed.empty()) {
      printed = format;
      targets_.push_back({format, std::nullopt, std::nullopt});
    } else {
      throw Error("", fmt::format("{} and {} cannot both go to standard output", printed, format),
                  "give --out-dir, or one --format at a time");
    }
    if (a_run && !to_folder && specs.size() > 1) {
      throw Error("", fmt::format("a file of --format {} holds one run", format),
                  "give --out-dir, or one run at a time");
    }
  }
}

void Outputs::open(const std::string& format, const std::filesystem::path& path,
                   const std::vector<RunSpec>& specs) {
  keep_inputs(path, specs);
  targets_.push_back({format, PendingFile(path), std::nullopt});
}

bool Outputs::makes(std::string_view format) const {
  return std::any_of(targets_.begin(), targets_.end(),
                     [&](const Target& target) { return target.format == format; });
}

bool Outputs::wants_traces() const {
  return makes(trace_format);
}

void Outputs::add_run(const CompiledRules& rules, const LabelledTrace& run,
                      const RunSummary& summary, size_t index, std::string_view by,
                      Streams& streams) {
  for (Target& target : targets_) {
    if (target.format != trace_format || target.run.value_or(index) != index) continue;
    target.write([&](const ByteSink& sink) { write_chrome_trace(rules, run, summary, by, sink); },
                 streams);
  }
}

void Outputs::finish(const std::function<std::string(const std::string&)>& text, Streams& streams) {
  for (Target& target : targets_) {
    if (target.format == trace_format) continue;
    target.write([&](const ByteSink& sink) { sink(text(target.format)); }, streams);
  }
  streams.finish();
  for (Target& target : targets_) {
    if (target.file) target.file->commit();
  }
  for (const Target& target : targets_) {
    if (target.file) streams.note(fmt::format("wrote {}", target.file->path().string()));
  }
}

}  // namespace kr::cli
