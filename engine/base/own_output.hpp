// Which files kr has written: an output replaces no others (PendingFile::check_own). Every format
// but plain text and CSV has a mark near its begin.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace kr {

/// The mark of formats that have comments and no other place for it: Markdown and SVG.
inline constexpr std::string_view own_comment = "<!-- written by kr -->";
/// The mark of PNG: keyword and text of a `tEXt` chunk.
inline constexpr std::string_view own_png_text{"Software\0kr", 11};

/// Whether a file that begins with `head`, of some kilobytes, has the mark of one of kr's formats:
/// HTML, JSON, JSON Lines, SQLite, Markdown, SVG, PNG, Perfetto, Paraver, `.krdb`.
bool has_own_mark(std::string_view head);

/// The first kilobytes of a file, decompressed if it is gzip; empty if there are none, or if it
/// cannot be read.
std::string read_head(const std::filesystem::path& path);

}  // namespace kr
