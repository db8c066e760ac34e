// Opens the SQLite file of a trace: a file in its place, or the copy of one that is packed, piped
// or cut off.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/sqlite.hpp"
#include "trace/format.hpp"
#include "trace/input.hpp"
#include "trace/readers/sqlite_tables.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

bool is_sqlite(std::string_view head) noexcept;

/// The format whose tables a database has. Of one that is packed or piped, of none, or damaged, the
/// first of those that are SQLite: `read_sqlite` says what it is.
const TraceFormat& sqlite_format(const Input& input);

/// Reads a database of any profiler, by its tables: TraceFormat::read of all of them. Throws Error
/// if it is of none, and on a file that is shorter than its header says, unless that is allowed
/// (OpenOptions::allow_truncated); then what is there is read.
void read_sqlite(Input& input, TraceBuilder& out);

/// The tables of a database, of which `names` are read. What a schema computes is code of the
/// author of the file: a view or a virtual table in place of one of `names` is dropped, in place of
/// one of `needed` an error. Generated columns are read, within bounds: each of several may use the
/// one before it many times. Throws Error.
SqliteTables checked_tables(sqlite::Database& database, std::span<const std::string_view> names,
                            std::span<const std::string_view> needed, const std::string& remedy,
                            TraceBuilder& out);

/// Calls `use` with the database of a file that was read before. Throws Error.
void use_sqlite(Input& input, const std::function<void(sqlite::Database& database)>& use);

}  // namespace kr::trace
