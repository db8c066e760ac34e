// Files in the cache folder and in the folder of installed databases. Nothing here fails: a file
// that cannot be read counts as absent, a file that cannot be written is not written.
//
// Hyperscan trusts the bytes of a database, so a file is read only if no other user can have
// written it: the folder and the file belong to this user, and others cannot write to them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "source/library.hpp"

namespace kr::match {

class CacheFile {
 public:
  /// The file for this key, named by a hash of the key. `extension` is the kind of file.
  CacheFile(const std::filesystem::path& folder, std::string_view key, std::string_view extension);

  /// The bytes, or nothing. Reading a file marks it as used today.
  std::string read() const noexcept;
  /// The bytes if `install` trusts the file, or nothing.
  std::string read_installed(const source::Install& install) const noexcept;
  /// Writes a temporary file and renames it, so a concurrent reader sees an old file, the new one
  /// or none. Removes the oldest files of this kind if there are too many.
  void write(std::string_view bytes) const noexcept;

  static constexpr size_t max_files = 64;

  /// Why an existing folder is not used, and what to do; none if it is used.
  static std::optional<std::string> refusal(const std::filesystem::path& folder);

 private:
  void prune() const;
  std::filesystem::path folder_;
  std::filesystem::path file_;
};

}  // namespace kr::match
