// What marks a file as one that kr has written, in formats that have a place for comments: see
// render/renderers.def.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace kr {

/// Of Markdown and SVG.
inline constexpr std::string_view own_comment = "<!-- written by kr -->";
/// Parts of traces that `kr cut` writes: how a JSON object begins, and the application id of
/// SQLite.
inline constexpr std::string_view own_cut = "{\"madeBy\":\"kr cut\",";
inline constexpr uint32_t own_cut_database = 0x6b726375;
/// Of PNG: keyword and text of a `tEXt` chunk.
inline constexpr std::string_view own_png_text{"Software\0kr", 11};

/// The first kilobytes of a file, decompressed if it is gzip; empty if there are none, or if it
/// cannot be read.
std::string read_head(const std::filesystem::path& path);

}  // namespace kr
