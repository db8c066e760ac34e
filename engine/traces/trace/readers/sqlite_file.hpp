// Opens the SQLite file of a trace: a file in its place, or the copy of one that is packed, piped
// or cut off.
#pragma once

#include <functional>
#include <string_view>

#include "base/sqlite.hpp"
#include "trace/input.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

bool is_sqlite(std::string_view head) noexcept;

/// Calls `read`, which returns false where the file had less than its tables say: that is noted.
/// Throws Error on a file that is shorter than its header says, unless that is allowed
/// (OpenOptions::allow_truncated); then what is there is read.
void read_sqlite(Input& input, TraceBuilder& out,
                 bool (*read)(sqlite::Database& database, const OpenOptions& options,
                              TraceBuilder& out));

/// Calls `use` with the database of a file that was read before. Throws Error.
void use_sqlite(Input& input, const std::function<void(sqlite::Database& database)>& use);

}  // namespace kr::trace
