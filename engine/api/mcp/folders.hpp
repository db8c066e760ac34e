// Which files a client may name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kr::mcp {

/// Files below some folders, however they are spelled and whatever links lead out of them.
class Folders {
 public:
  /// Throws Error if one of them is no folder. None: the current one.
  explicit Folders(const std::vector<std::string>& roots);

  /// The file or folder that a client names: absolute, or below the first of the folders. Throws
  /// Error if it is not there, or not below one of them.
  std::string existing(const std::string& name) const;
  /// The same of a file that is to be written: its folder exists.
  std::string to_write(const std::string& name) const;
  const std::vector<std::filesystem::path>& roots() const noexcept { return roots_; }

 private:
  std::filesystem::path placed(const std::string& name) const;
  void check(const std::filesystem::path& real, const std::string& name) const;
  std::vector<std::filesystem::path> roots_;  // canonical
};

}  // namespace kr::mcp
