// Reads text files that people write: rules, tables of patterns, lists of names.
#pragma once

#include <filesystem>
#include <string>

namespace kr::source {

/// The largest text file. A larger file is a mistake and would fill the memory.
inline constexpr size_t max_text_bytes = size_t{64} << 20U;

/// Whether a pipe may be read. Only a pipe named on the command line may be: reading blocks until
/// another process writes to it.
enum class Pipes : uint8_t { refuse, read };

/// The bytes of a file. Throws Error if the file cannot be read (missing, a folder, a device, no
/// permission), is a refused pipe, or is longer than `max_text_bytes`. Blocks only on a pipe.
std::string read_text_file(const std::filesystem::path& path, Pipes pipes);

/// The same for standard input, of any kind.
std::string read_standard_input();

}  // namespace kr::source
