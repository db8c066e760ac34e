// What a reader of traces declares of itself. The list of them is formats.def.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/gzip.hpp"
#include "trace/input.hpp"
#include "trace/module_trace.hpp"
#include "trace/trace.hpp"

namespace kr::sqlite {
class Database;
}

namespace kr::trace {

class SqliteTables;

struct TraceFormat {
  std::string_view name;
  std::string_view kind;  // in the message about a file of no known format: `ncu CSV pages`
  std::string_view summary;
  std::span<const std::string_view> extensions;
  /// What it has beside operations, if the profiler recorded it, for a person.
  std::string_view carries;
  /// Null if the content does not show it: then the name does, after all others have passed.
  bool (*sniff)(std::string_view head) noexcept = nullptr;
  /// `sniff` takes any text: it is called after all that is refused by name.
  bool any_text = false;
  /// Another program makes of it what is read.
  bool exported = false;
  /// Operations and module trees; null where a format has none. Throw Error{path, offset, why}.
  void (*read)(Input& input, TraceBuilder& out) = nullptr;
  void (*read_modules)(Input& input, ModuleTraceBuilder& out) = nullptr;
  /// `read` takes folders of files, too: those that `sniff_folder` takes, or, without it, all that
  /// no other format takes.
  bool folders = false;
  /// Writes what belongs to traces that those of the input were reduced to (trace/cut.hpp), as a
  /// text, or to the file of a database, which has no tables yet; errors name `path`. Null where a
  /// part of a format cannot be written.
  void (*cut)(Input& input, std::span<const Trace* const> reduced, const ByteSink& out) = nullptr;
  void (*cut_database)(Input& input, std::span<const Trace* const> reduced,
                       const std::string& location, const std::string& path) = nullptr;
  bool (*sniff_folder)(const Input& folder) = nullptr;
  /// Of databases of SQLite, which are one by their first bytes: whether its tables are of this
  /// format, and what reads them; false: the file had less than its tables say. `read` is
  /// read_sqlite (readers/sqlite_file.hpp).
  bool (*sniff_tables)(const SqliteTables& tables) = nullptr;
  bool (*read_tables)(sqlite::Database& database, const OpenOptions& options,
                      TraceBuilder& out) = nullptr;
};

std::span<const TraceFormat* const> formats() noexcept;

/// Of files that people take for a trace but are not one, by their first bytes: what it
/// is and what to do.
struct Refusal {
  std::string why;
  std::string remedy;
};
/// None where the head may begin a trace.
std::optional<Refusal> refusal_of(std::string_view head);

/// The first two bytes that are no white space, behind a byte order mark; 0 where there are none.
std::pair<char, char> first_bytes(std::string_view head) noexcept;

#define KR_TRACE_FORMAT(format) extern const TraceFormat format;
#include "trace/formats.def"
#undef KR_TRACE_FORMAT

}  // namespace kr::trace
