// Files as URIs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace kr::lsp {

/// `file:///a/b%20c.kr` as a canonical path, so that two spellings of one file are the same;
/// nullopt for another scheme, another machine, or a broken escape.
std::optional<std::filesystem::path> path_of(std::string_view uri);

/// The reverse; a relative path is relative to the working folder.
std::string uri_of(const std::filesystem::path& path);

/// A canonical path, as `path_of` returns it.
std::filesystem::path real_path(const std::filesystem::path& path);

}  // namespace kr::lsp
