// Files as the protocol names them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace kr::lsp {

/// `file:///a/b%20c.kr` as a path, in the shortest form and through links, so that two spellings of
/// one file meet; none for another scheme, another machine, or a broken escape.
std::optional<std::filesystem::path> path_of(std::string_view uri);

/// The other way; a relative path is taken from the working folder.
std::string uri_of(const std::filesystem::path& path);

/// As `path_of` gives paths.
std::filesystem::path real_path(const std::filesystem::path& path);

}  // namespace kr::lsp
