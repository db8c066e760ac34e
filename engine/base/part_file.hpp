// Files and folders that exist while something is written, and go when it is done, however the
// program ends: removed by their object, by `remove_parts` when a signal ends the program, and by
// the next run that writes the same when it was killed.
//
// Their names are random: process ids repeat, in a container most of all. Each is locked (flock) as
// long as its writer lives, so one that can be locked is left over. Where a file system has no
// locks nothing is taken for left over.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>

namespace kr {

/// The folder for temporary files: $TMPDIR, else /tmp.
std::filesystem::path temporary_folder();

/// What is beside `target`, of its name and `.RANDOM.part`. To make one removes what runs that were
/// killed left of the same target; throws Error, which names `shown`.
class Part {
 public:
  ~Part();
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }

 protected:
  Part(const std::filesystem::path& target, const std::string& shown,
       const std::function<int(const std::filesystem::path&)>& make);
  std::filesystem::path path_;
  int descriptor_ = -1;
};

/// An empty file.
class PartFile : public Part {
 public:
  /// `mode` is cut by the umask.
  PartFile(const std::filesystem::path& target, const std::string& shown, mode_t mode = 0666);

  /// Open for reading and writing.
  int descriptor() const noexcept { return descriptor_; }
  /// Puts it in the place of `target`. Returns 0, or an errno: the file of an earlier run is then
  /// untouched.
  int put(const std::filesystem::path& target) noexcept;
};

/// A folder that only this user can open, with what is in it.
class PartFolder : public Part {
 public:
  PartFolder(const std::filesystem::path& target, const std::string& shown);
};

/// Removes all parts there are. For a program that ends: none can be made or put in place after it.
/// It takes a lock, so it is not for signal handlers; a thread that waits for signals may call it.
void remove_parts() noexcept;

}  // namespace kr
