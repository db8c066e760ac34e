// Files of the cache folder, and of the folder of what was made with kr. Nothing here fails: what
// cannot be read is absent, what cannot be written stays unwritten.
//
// What is read is trusted (Hyperscan trusts the bytes of a database), so it is only read where
// nobody but this user can have written it: the folder and the file are the user's own, and closed
// to others for writing.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "source/library.hpp"

namespace kr::match {

class CacheFile {
 public:
  /// The file for this key; named by a hash of it, so that equal keys meet in one file.
  /// `extension` tells what sort of file it is.
  CacheFile(const std::filesystem::path& folder, std::string_view key, std::string_view extension);

  /// The bytes, or nothing. A file that was read counts as used today.
  std::string read() const noexcept;
  /// The bytes if the folder is one of `install`, which trusts the file. Or nothing.
  std::string read_installed(const source::Install& install) const noexcept;
  /// Written aside and renamed, so that who reads at the same time sees an old file, the new one
  /// or none. The oldest files of the sort go when there are too many.
  void write(std::string_view bytes) const noexcept;

  static constexpr size_t max_files = 64;

  /// Why a folder that is there is not used, and what to do about it; none where it may be.
  static std::optional<std::string> refusal(const std::filesystem::path& folder);

 private:
  void prune() const;
  std::filesystem::path folder_;
  std::filesystem::path file_;
};

}  // namespace kr::match
