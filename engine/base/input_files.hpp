// Which files a run reads, by device and inode, so that none of its outputs replaces one: whatever
// name, link or folder it is reached by.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <mutex>
#include <set>
#include <utility>

namespace kr {

/// While an object lives, all that this library opens for reading is noted in it, and PendingFile
/// refuses to replace what is noted. Whoever starts a run makes one for that run: `main` does.
/// There is one at a time in a process; a caller that makes none is not watched over. Safe to use
/// from several threads.
class InputFiles {
 public:
  InputFiles();
  ~InputFiles();
  InputFiles(const InputFiles&) = delete;
  InputFiles& operator=(const InputFiles&) = delete;

  /// Notes an open file, or the one at `path`, if it is a regular file.
  static void note(int descriptor);
  static void note(const std::filesystem::path& path);
  /// Whether this file was noted.
  static bool has(const struct stat& file);
  static bool has(const std::filesystem::path& path);

 private:
  void add(const struct stat& file);
  std::mutex mutex_;
  std::set<std::pair<dev_t, ino_t>> files_;
};

}  // namespace kr
