// Whole files in and out. Files that a person may have from an earlier run are written aside and
// renamed into place, so that the file of this name is always whole.
#pragma once

#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/part_file.hpp"

namespace kr {

/// What is to be said of a file that cannot be read for the reason `code` (an errno): of a missing
/// one which name in its folder is near, of a link what it leads to.
Error cannot_read(const std::filesystem::path& path, int code);

/// The name in its folder that a path was likely meant to be, with the folder.
std::optional<std::string> near_file(const std::filesystem::path& path);

/// The bytes of a file. Throws Error where it cannot be read (missing, a folder, no permission).
std::string read_file(const std::filesystem::path& path);
/// The rest of an open file; `path` is for errors. Throws Error where it is longer than `most`
/// bytes.
std::string read_file(int descriptor, const std::filesystem::path& path,
                      size_t most = std::numeric_limits<size_t>::max());

/// Returns 0, or the errno of the failure.
int write_all(int descriptor, std::string_view bytes) noexcept;

/// What an output is written to. A regular file appears under its name only at `commit`: until then
/// the bytes are in a part file beside it, which is removed when the object goes without a commit.
/// It keeps the permissions of the file it replaces; a symbolic link is followed. To what is not a
/// regular file (a device, a FIFO, `/dev/stdout`) the bytes go directly.
class PendingFile {
 public:
  /// Whether a file that this run has read (InputFiles) may be replaced.
  enum class Inputs : bool { kept, replaced };

  /// Throws Error where it cannot be written, or is an input that is to be kept.
  explicit PendingFile(std::filesystem::path path, Inputs inputs = Inputs::kept);
  static PendingFile standard_output();

  /// Once the reader of a pipe is gone nothing more is written, which is not an error.
  void write(std::string_view bytes);
  /// Throws Error where the file is an input that is to be kept. `commit` checks as well; call it
  /// for each of several outputs before the first is committed.
  void check_inputs() const;
  /// The first kilobytes of the file that it replaces (see read_head); nothing: there is none, or
  /// it has no content.
  std::optional<std::string> replaced_head() const;
  /// Flushes, closes and renames. Throws Error; the file of an earlier run is then untouched.
  void commit();
  const std::filesystem::path& path() const noexcept { return path_; }
  /// A file of the bytes until then, for those that write by path and not by `write`. Of what is
  /// not a regular file it is in the temporary folder, and copied by `commit`. Throws Error.
  const std::filesystem::path& aside();

 private:
  PendingFile(std::filesystem::path path, Descriptor stream);
  [[noreturn]] void fail(std::string_view what, int code) const;
  void copy_part();

  std::filesystem::path path_;      // as given
  std::filesystem::path file_;      // where its links lead; empty: not a regular file
  std::unique_ptr<PartFile> part_;  // null: written directly
  Descriptor stream_;               // of what is not a regular file
  Inputs inputs_ = Inputs::kept;
  bool unread_ = false;  // the reader of a pipe is gone
};

/// Commits several outputs. None is put in place where one of them is an input. Throws Error.
void commit_all(const std::vector<PendingFile*>& files);

void write_file(const std::filesystem::path& path, std::string_view bytes);

/// Writes over a file that was read to be rewritten. Permissions stay, and behind a symbolic link
/// it is the file it names that is written. Throws Error where it is not a regular file.
void replace_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace kr
