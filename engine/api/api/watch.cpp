#include "kr/watch.hpp"

#include <dirent.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"

namespace kr {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* still_written = "it was still being written";

/// Whether a file has changed: of another file under its name, too.
struct FileState {
  dev_t device;
  ino_t number;
  off_t size;
  int64_t changed_ns;
  bool operator==(const FileState&) const = default;
};

struct WatchedFile {
  FileState state;
  Clock::time_point since;  // that the state is the same
  bool returned = false;    // in this state; or there at the beginning
  std::string error = {};   // of the last attempt
};

std::map<std::string, FileState> files_in(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), ::closedir);
  if (open == nullptr) throw cannot_read(folder, errno);
  std::map<std::string, FileState> files;
  while (const dirent* entry = ::readdir(open.get())) {
    const std::string name = entry->d_name;
    struct stat file {};
    // A pipe would make it wait.
    if (name.starts_with('.') || ::fstatat(::dirfd(open.get()), name.c_str(), &file, 0) != 0 ||
        !S_ISREG(file.st_mode)) {
      continue;
    }
    files[name] = {file.st_dev, file.st_ino, file.st_size,
                   int64_t{file.st_mtim.tv_sec} * 1'000'000'000 + file.st_mtim.tv_nsec};
  }
  return files;
}

/// Files that belong to another one: of SQLite, and the export that kr itself makes of a report of
/// nsys. And databases in the middle of a change.
bool waits(const std::string& name, const std::map<std::string, FileState>& files) {
  for (const char* of_sqlite : {"-journal", "-wal", "-shm"}) {
    if (name.ends_with(of_sqlite)) return true;
  }
  if (files.contains(name + "-journal")) return true;
  constexpr std::string_view exported = ".sqlite";
  if (!name.ends_with(exported)) return false;
  const std::string stem = name.substr(0, name.size() - exported.size());
  return files.contains(stem + ".nsys-rep") || files.contains(stem + ".qdrep");
}

/// The traces, or what may be some.
std::map<std::string, FileState> traces_in(const std::string& folder) {
  const std::map<std::string, FileState> files = files_in(folder);
  std::map<std::string, FileState> traces;
  for (const auto& [name, state] : files) {
    if (!waits(name, files)) traces[name] = state;
  }
  return traces;
}

}  // namespace

struct FolderWatch::Impl {
  std::string folder;
  std::map<std::string, WatchedFile> files;  // by name
};

FolderWatch::FolderWatch(std::string folder)
    : impl_(std::make_unique<Impl>(Impl{std::move(folder), {}})) {
  for (const auto& [name, state] : traces_in(impl_->folder)) {
    impl_->files[name] = {.state = state, .since = Clock::now(), .returned = true};
  }
}
FolderWatch::FolderWatch(FolderWatch&&) noexcept = default;
FolderWatch& FolderWatch::operator=(FolderWatch&&) noexcept = default;
FolderWatch::~FolderWatch() = default;

size_t FolderWatch::files() const noexcept {
  return impl_->files.size();
}

std::vector<std::string> FolderWatch::poll() {
  constexpr auto settled = std::chrono::seconds(1);
  const std::map<std::string, FileState> now = traces_in(impl_->folder);
  std::erase_if(impl_->files, [&](const auto& one) { return !now.contains(one.first); });
  std::vector<std::string> complete;
  for (const auto& [name, state] : now) {
    WatchedFile& file = impl_->files[name];
    if (file.since == Clock::time_point() || !(file.state == state)) {
      file = {.state = state, .since = Clock::now(), .error = std::move(file.error)};
    } else if (!file.returned && Clock::now() - file.since >= settled) {
      file.returned = true;
      file.error.clear();
      complete.push_back((std::filesystem::path(impl_->folder) / name).string());
    }
  }
  return complete;
}

void FolderWatch::failed(const std::string& path, const std::string& why) {
  const auto at = impl_->files.find(std::filesystem::path(path).filename().string());
  if (at != impl_->files.end()) at->second.error = why.empty() ? still_written : why;
}

std::map<std::string, std::string> FolderWatch::unfinished() const {
  std::map<std::string, std::string> reasons;
  for (const auto& [name, file] : impl_->files) {
    if (file.returned && file.error.empty()) continue;
    reasons[name] = file.error.empty() ? still_written : file.error;
  }
  return reasons;
}

}  // namespace kr
