// A part of a trace in the trace's own format.
#pragma once

#include <span>
#include <string>

#include "base/file.hpp"
#include "trace/open.hpp"

namespace kr::trace {

/// Throws Error if a part of this trace cannot be written to `to`: its format cannot be cut, it
/// cannot be read again, or the name of the file means another compression.
void check_cut(const std::string& path, const OpenOptions& options, const PendingFile& to);

/// Reads `path` again and writes what belongs to `reduced` (trace/reduce.hpp), which were read of
/// it with the same options, OpenOptions::places and a whole host trace. Reading the result gives
/// the reduced traces. A text is compressed if the name of the file ends in `.gz`. Throws Error.
void cut(const std::string& path, const OpenOptions& options, std::span<const Trace* const> reduced,
         PendingFile& to);

}  // namespace kr::trace
