// A checksum at the end of a file: four bytes, the CRC-32 of all bytes before them as zlib computes
// it, big-endian. It finds damage, not forgery. SQLite reads only the pages of a database, so one
// may end with it.
#pragma once

#include <string>

namespace kr {

/// Appends it to the complete file at `location`. Throws Error, which names `path`: the file cannot
/// be read or written.
void append_checksum(const std::string& location, const std::string& path);

/// Whether the file ends with the checksum of its other bytes; also if it cannot be read.
bool has_valid_checksum(const std::string& path);

}  // namespace kr
