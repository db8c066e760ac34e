// Traces that appear in a folder, as `kr report --watch`.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kr {

/// Says which new files in a folder are complete: their size and time of change have stayed the
/// same for a second. What is there at the beginning, hidden files and folders are not new, nor are
/// the files of SQLite beside a database, and the export beside a report of nsys. A file that
/// changes is new again. Throws Error if the folder cannot be read.
class FolderWatch {
 public:
  explicit FolderWatch(std::string folder);
  FolderWatch(FolderWatch&&) noexcept;
  FolderWatch& operator=(FolderWatch&&) noexcept;
  ~FolderWatch();

  /// How many files there are, new or not.
  size_t files() const noexcept;
  /// The paths of the files that became complete since the last call, by name. To be called some
  /// times per second; it does not wait.
  std::vector<std::string> poll();
  /// A file could not be read, and may not be whole: poll returns it again if it changes. An empty
  /// reason: it was not tried.
  void failed(const std::string& path, const std::string& why);
  /// The names of new files that poll did not return or that failed, and why.
  std::map<std::string, std::string> unfinished() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kr
