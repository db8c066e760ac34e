#include "trace/readers/sqlite_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/part_file.hpp"

namespace kr::trace {
namespace {

using namespace std::string_view_literals;

uint64_t big_endian(std::string_view bytes) {
  uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

// The file's size, as the header has it. See “The Database Header” of SQLite's description of
// its file format: page size at 16, change counter at 24, pages at 28, and at 92 the change counter
// for which that number of pages is valid.
struct Pages {
  uint64_t size = 0;
  uint64_t count = 0;  // 0: not known

  uint64_t bytes() const { return size * count; }
};

Pages pages_of(std::string_view head) {
  if (head.size() < 100 || head.substr(24, 4) != head.substr(92, 4)) return {};
  const uint64_t size = big_endian(head.substr(16, 2));
  return {size == 1 ? 65536 : size, big_endian(head.substr(28, 4))};
}

// A file that is shorter than its header says was cut off.
[[noreturn]] void fail_cut(const std::string& shown, uint64_t size, const Pages& pages) {
  throw Error(shown, Error::Place{.line = {}, .offset = size},
              fmt::format("the database is cut off here: it should have {} bytes", pages.bytes()),
              "copy or export it again; --allow-truncated reads the complete part");
}

const TraceFormat* format_of_tables(const SqliteTables& tables) {
  for (const TraceFormat* format : formats()) {
    if (format->sniff_tables != nullptr && format->sniff_tables(tables)) return format;
  }
  return nullptr;
}

void read_database(sqlite::Database& database, const OpenOptions& options, TraceBuilder& out) {
  if (options.allow_truncated) database.allow_damage();
  const SqliteTables tables(database);
  const TraceFormat* const format = format_of_tables(tables);
  if (format == nullptr) {
    const std::string some = tables.some();
    throw Error(database.path(),
                some.empty() ? "is an SQLite database without tables"
                             : fmt::format("is an SQLite database, but of no profiler that kr "
                                           "reads: its tables are {}",
                                           some),
                "export a report with `nsys export --type sqlite`");
  }
  out.format(format->name);
  if (!format->read_tables(database, options, out)) {
    out.warn("truncated",
             fmt::format("{} is damaged or cut off: rows are missing.", database.path()));
  }
}

// All of the input's text. Throws Error where it cannot be read or there is no room.
void unpack(Input& input, const PartFile& to) {
  std::string block(size_t{1} << 20, '\0');
  while (const size_t size = input.read(block.data(), block.size())) {
    const int code = write_all(to.descriptor(), std::string_view(block).substr(0, size));
    if (code == 0) continue;
    throw Error(temporary_folder().string(),
                std::string("cannot unpack the trace: ") + std::strerror(code),
                "set TMPDIR to a folder with enough space for the unpacked file");
  }
}

// From a copy, of whole pages.
void read_copy(Input& input, TraceBuilder& out) {
  const OpenOptions& options = input.options();
  const Pages pages = pages_of(input.head());
  const std::string folder = temporary_folder().string();
  const PartFile file(temporary_folder() / "kr", folder, 0600);
  unpack(input, file);
  const uint64_t size = input.offset();
  if (size < pages.bytes()) {
    if (!options.allow_truncated) fail_cut(input.shown(), size, pages);
    const uint64_t whole = size / pages.size * pages.size;
    if (::ftruncate(file.descriptor(), static_cast<off_t>(whole)) != 0) {
      throw Error(folder, std::string("cannot truncate a temporary file: ") + std::strerror(errno));
    }
    out.warn("truncated", fmt::format("{} is cut off at byte {} of {}: rows after it are missing.",
                                      input.shown(), size, pages.bytes()));
  }
  auto database = sqlite::Database::read_private(file.path().string(), input.shown());
  read_database(database, options, out);
}

bool has_log(const std::string& path) {
  struct stat info {};
  return ::stat((path + "-wal").c_str(), &info) == 0 && info.st_size > 0;
}

}  // namespace

bool is_sqlite(std::string_view head) noexcept {
  return head.starts_with("SQLite format 3\0"sv);
}

const TraceFormat& sqlite_format(const Input& input) {
  if (input.plain_file()) {
    try {
      const auto database = sqlite::Database::read(input.path());
      if (const TraceFormat* known = format_of_tables(SqliteTables(database))) return *known;
    } catch (const Error&) {  // reading says it
    }
  }
  const auto all = formats();
  return **std::ranges::find_if(
      all, [](const TraceFormat* format) { return format->sniff_tables != nullptr; });
}

SqliteTables checked_tables(sqlite::Database& database, std::span<const std::string_view> names,
                            std::span<const std::string_view> needed, const std::string& remedy,
                            TraceBuilder& out) {
  constexpr size_t max_computed = 2;
  constexpr int longest_computed = 1 << 14;
  SqliteTables tables(database);
  for (const std::string_view name : needed) {
    if (!tables.has_other(name)) continue;
    throw Error(database.path(),
                fmt::format("its {} is a view or a virtual table: only tables are read", name),
                remedy);
  }
  for (const std::string_view name : names) {
    if (tables.has_other(name)) out.add_dropped(fmt::format("view or virtual table {}", name), 0);
    if (!tables.has(name)) continue;
    const size_t computed = tables.columns(name).computed();
    if (computed == 0) continue;
    if (computed > max_computed) {
      throw Error(database.path(),
                  fmt::format("its table {} has {} generated columns that are not stored; at most "
                              "{} are read",
                              name, computed, max_computed),
                  remedy);
    }
    database.limit_values(longest_computed);
  }
  return tables;
}

void use_sqlite(Input& input, const std::function<void(sqlite::Database& database)>& use) {
  if (input.plain_file()) {
    auto database = sqlite::Database::read(input.path());
    return use(database);
  }
  const PartFile file(temporary_folder() / "kr", temporary_folder().string(), 0600);
  unpack(input, file);
  auto database = sqlite::Database::read_private(file.path().string(), input.shown());
  use(database);
}

void read_sqlite(Input& input, TraceBuilder& out) {
  if (!input.plain_file()) return read_copy(input, out);
  std::error_code failed;
  const uint64_t size = std::filesystem::file_size(input.path(), failed);
  const Pages pages = pages_of(input.head());
  // Where there is a log, it may have the rest.
  if (!failed && size < pages.bytes() && !has_log(input.path())) {
    if (!input.options().allow_truncated) fail_cut(input.shown(), size, pages);
    return read_copy(input, out);
  }
  auto database = sqlite::Database::read(input.path());
  read_database(database, input.options(), out);
}

}  // namespace kr::trace
