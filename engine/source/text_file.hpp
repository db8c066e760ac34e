// Texts that people write, whole: rules, tables of patterns, lists of names.
#pragma once

#include <filesystem>
#include <string>

namespace kr::source {

/// No text is longer: what is has been named by mistake, and would fill the memory.
inline constexpr size_t max_text_bytes = size_t{64} << 20U;

/// Whether a pipe may be read: only one that a person has named on the command line, since reading
/// waits for whoever writes to it.
enum class Pipes : uint8_t { refuse, read };

/// The bytes of a file. Throws Error where it cannot be read (missing, a folder, a device, no
/// permission), is a pipe that is refused, or is longer than `max_text_bytes`. Never waits for a
/// file that is not a pipe.
std::string read_text_file(const std::filesystem::path& path, Pipes pipes);

/// The same of standard input, whatever it is.
std::string read_standard_input();

}  // namespace kr::source
