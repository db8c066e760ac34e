// The folder of serialized databases. Nothing here fails: what cannot be read is absent, what
// cannot be written stays unwritten.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace kr {

class DatabaseCache {
 public:
  /// The file for this key; named by a hash of it, so that equal keys meet in one file.
  DatabaseCache(const std::filesystem::path& folder, std::string_view key);

  /// The bytes, or nothing. A file that was read counts as used today.
  std::string read() const noexcept;
  /// Written aside and renamed, so that who reads at the same time sees an old file, the new one
  /// or none. The oldest files go when there are too many.
  void write(std::string_view bytes) const noexcept;

  static constexpr size_t max_files = 64;

 private:
  void prune() const;
  std::filesystem::path folder_;
  std::filesystem::path file_;
};

}  // namespace kr
