// Whole files in and out. Files that a person may have from an earlier run are written aside and
// renamed into place, so that what stands under the name is always whole.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace kr {

/// What is to be said of a file that cannot be read for the reason `code` (an errno): of a missing
/// one which name in its folder is near, of a link what it leads to.
Error cannot_read(const std::filesystem::path& path, int code);

/// The name in its folder that a path was likely meant to be, with the folder.
std::optional<std::string> near_file(const std::filesystem::path& path);

/// The bytes of a file. Throws Error where it cannot be read (missing, a folder, no permission).
std::string read_file(const std::filesystem::path& path);

/// A file that appears under its name only at `commit`. Until then the bytes are in a file beside
/// it, which is removed when the object goes without a commit.
class PendingFile {
 public:
  /// Throws Error where the folder cannot be written.
  explicit PendingFile(std::filesystem::path path);
  ~PendingFile();
  PendingFile(PendingFile&& other) noexcept;
  PendingFile& operator=(PendingFile&&) = delete;

  void write(std::string_view bytes);
  /// Gives the file the permissions of the one it replaces, where there is one.
  void keep_permissions();
  /// Flushes, closes and renames. Throws Error; the file of an earlier run is then untouched.
  void commit();
  const std::filesystem::path& path() const noexcept { return path_; }
  /// Where the bytes are until then, for those that write by path.
  const std::filesystem::path& aside() const noexcept { return aside_; }

 private:
  [[noreturn]] void fail(std::string_view what);
  std::filesystem::path path_;
  std::filesystem::path aside_;
  int descriptor_ = -1;
  std::optional<size_t> noted_;  // for `remove_pending_files`
};

/// Removes what is written of pending files, for a handler of signals that end the program.
void remove_pending_files() noexcept;

void write_file(const std::filesystem::path& path, std::string_view bytes);

/// Writes over a file of the user's: permissions stay, and behind a symbolic link it is the file it
/// names that is written, not the link.
void replace_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace kr
