// `.nsys-rep` and `.qdrep`: nsys's own format, which only nsys reads. It has to export SQLite,
// beside the report, where it would put it itself; an export that is there already and newer than
// the report is taken as it is.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/error.hpp"
#include "base/input_files.hpp"
#include "base/part_file.hpp"
#include "base/sqlite.hpp"
#include "trace/format.hpp"
#include "trace/readers/messages.hpp"
#include "trace/readers/nsys_schema.hpp"
#include "trace/subprocess.hpp"

namespace kr::trace {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> nsys_report_extensions{".nsys-rep", ".qdrep"};

// Of nsys, and not some other database: one that kr wrote, say.
bool is_export(const fs::path& path) {
  try {
    const auto database = sqlite::Database::read(path.string());
    return is_nsys(SqliteTables(database));
  } catch (const Error&) {
    return false;
  }
}

// Strictly newer: a report written again within the clock's tick is exported again.
bool is_current(const fs::path& exported, const fs::path& report) {
  std::error_code failed;
  if (!fs::is_regular_file(exported, failed)) return false;
  const auto time = fs::last_write_time(exported, failed);
  if (failed) return false;
  const auto report_time = fs::last_write_time(report, failed);
  return !failed && time > report_time && is_export(exported);
}

// The last lines of what nsys said, in one.
std::string last_words(const std::string& output) {
  constexpr size_t lines = 3;
  std::string out;
  size_t end = output.size();
  for (size_t line = 0; line < lines && end != 0;) {
    const size_t newline = output.rfind('\n', end - 1);
    const size_t begin = newline == output.npos ? 0 : newline + 1;
    const std::string text = shown_text(std::string_view(output).substr(begin, end - begin));
    if (text.find_first_not_of(' ') != text.npos) {
      out.insert(0, out.empty() ? text : text + " / ");
      ++line;
    }
    end = newline == output.npos ? 0 : newline;
  }
  return out.empty() ? ", silently" : ": " + out;
}

[[noreturn]] void export_failed(const std::string& report, const std::string& command,
                                const Finished& run) {
  switch (run.how) {
    case Finished::How::not_found:
      throw Error(report,
                  fmt::format("an nsys report is read through `{} export`, which cannot be run: {}",
                              command, std::strerror(run.status)),
                  "name the program with --nsys-cmd, or export the report where nsys is: "
                  "`nsys export --type sqlite`");
    case Finished::How::silent:
      throw Error(report, fmt::format("`{} export` did not finish and was stopped", command),
                  "run it manually: `nsys export --type sqlite`");
    case Finished::How::killed:
      throw Error(report, fmt::format("`{} export` was killed by signal {} ({}){}", command,
                                      run.status, ::strsignal(run.status), last_words(run.output)));
    case Finished::How::exited:
      break;
  }
  throw Error(report,
              fmt::format("`{} export` failed with exit status {}{}", command, run.status,
                          last_words(run.output)),
              "a report can be read by the nsys that wrote it, or a newer one");
}

void run_export(const std::string& report, const fs::path& source, const fs::path& to,
                const OpenOptions& options) {
  // A name that begins with a dash would be read as an option.
  const std::string file = fs::absolute(source).string();
  const Finished run =
      run_program({options.nsys_command, "export", "--type", "sqlite", "--force-overwrite", "true",
                   "-o", fs::absolute(to).string(), file},
                  options.nsys_timeout_seconds);
  if (run.how != Finished::How::exited || run.status != 0) {
    export_failed(report, options.nsys_command, run);
  }
  std::error_code failed;
  const auto size = fs::file_size(to, failed);
  if (failed || size == 0) {
    throw Error(report,
                fmt::format("`{} export` succeeded, but wrote no file{}", options.nsys_command,
                            last_words(run.output)),
                "run it manually: `nsys export --type sqlite`");
  }
}

// Where an export may be put: the place beside the report, or what a link there leads to. A file
// there which is not an export, or which this run reads, stays as it is.
std::optional<fs::path> place_beside(const fs::path& exported) {
  std::error_code failed;
  fs::path place = exported;
  if (fs::exists(fs::symlink_status(exported, failed))) {
    if (!fs::is_regular_file(exported, failed) || InputFiles::has(exported)) return std::nullopt;
    if (fs::file_size(exported, failed) != 0 && !is_export(exported)) return std::nullopt;
    place = fs::canonical(exported, failed);
    if (failed) return std::nullopt;
  }
  const fs::path folder = place.parent_path();
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) return std::nullopt;
  return place;
}

void read_exported(const fs::path& path, const OpenOptions& options, TraceBuilder& out) {
  Input exported(path.string(), options);
  nsys_sqlite_format.read(exported, out);
  out.format(nsys_report_format.name);
}

void read_beside(const Input& input, TraceBuilder& out) {
  const fs::path report(input.path());
  fs::path exported = report;
  exported.replace_extension(".sqlite");
  if (is_current(exported, report)) return read_exported(exported, input.options(), out);
  const std::optional<fs::path> place = place_beside(exported);
  const PartFolder folder(place.value_or(temporary_folder() / "kr"), input.path());
  const fs::path made = folder.path() / "export.sqlite";
  run_export(input.path(), report, made, input.options());
  std::error_code failed;
  if (place) fs::rename(made, *place, failed);
  read_exported(place && !failed ? *place : made, input.options(), out);
}

void read_nsys_report(Input& input, TraceBuilder& out) {
  if (input.plain_file()) return read_beside(input, out);
  const PartFolder folder(temporary_folder() / "kr", input.shown());
  const fs::path report = folder.path() / "report.nsys-rep";
  {
    std::ofstream file(report, std::ios::binary);
    std::string block(size_t{1} << 20, '\0');
    while (const size_t size = input.read(block.data(), block.size())) {
      file.write(block.data(), static_cast<std::streamsize>(size));
    }
    file.close();
    if (!file) {
      throw Error(folder.path().string(), "not enough space to unpack the report",
                  "set TMPDIR to a folder with more space");
    }
  }
  const fs::path to = folder.path() / "export.sqlite";
  run_export(input.shown(), report, to, input.options());
  read_exported(to, input.options(), out);
}

}  // namespace

const TraceFormat nsys_report_format{
    .name = "nsys-rep",
    .kind = "nsys reports (.nsys-rep)",
    .summary = "a report of Nsight Systems, read through `nsys export` (--nsys-cmd)",
    .extensions = nsys_report_extensions,
    .carries = "as nsys-sqlite",
    .sniff = nullptr,
    .exported = true,
    .read = read_nsys_report};

}  // namespace kr::trace
