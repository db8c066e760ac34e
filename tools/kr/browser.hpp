// Opens a page in the user's browser.
#pragma once

#include <filesystem>

namespace kr::cli {

/// A new folder, for this user only, in the system's folder for temporary files. It stays. Throws
/// Error.
std::filesystem::path new_temporary_folder();

/// Opens the page with the first that is there: those of $BROWSER (separated by colons, `%s` means
/// the page), wslview, xdg-open, open. It is left to itself as soon as it has run for a second.
/// Throws Error if there is none, or if it fails.
void open_in_browser(const std::filesystem::path& page);

}  // namespace kr::cli
