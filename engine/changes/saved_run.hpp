// Runs that `kr report --save` kept: a database of their tables, without operations.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "changes/profile.hpp"

namespace kr::changes {

/// The tables that a comparison reads, and those that a person asks for first.
std::span<const std::string_view> saved_tables();

/// Whether the path is one of a saved run: it ends in `.krun`.
bool names_saved_run(std::string_view path);

/// The runs in the file, in its order; each is shown as the path, with its id where there are
/// several. Throws Error: it is not such a file, or of another version.
std::vector<Profile> read_saved_runs(const std::string& path);

}  // namespace kr::changes
