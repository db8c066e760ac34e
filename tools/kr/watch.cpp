#include "watch.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string_view>
#include <thread>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/plural.hpp"

namespace kr::cli {
namespace {

using Clock = std::chrono::steady_clock;

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
  bool done = false;        // reported, or there at the beginning
  bool tried = false;       // in this state
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

Exit watch_folder(const std::string& folder,
                  const std::function<void(const std::string& path)>& report, Streams& streams) {
  constexpr auto settled = std::chrono::seconds(1);
  constexpr auto pause = std::chrono::milliseconds(200);
  std::map<std::string, WatchedFile> known;
  for (const auto& [name, state] : traces_in(folder)) {
    known[name] = {.state = state, .since = Clock::now(), .done = true};
  }
  stop_when_interrupted();
  streams.note(fmt::format("watching {}, with {} that {} not new; Ctrl-C ends it", folder,
                           plural(known.size(), "file"), known.size() == 1 ? "is" : "are"));
  size_t reported = 0;
  while (!interrupted()) {
    const std::map<std::string, FileState> now = traces_in(folder);
    std::erase_if(known, [&](const auto& one) { return !now.contains(one.first); });
    for (const auto& [name, state] : now) {
      WatchedFile& file = known[name];
      if (file.since == Clock::time_point() || !(file.state == state)) {
        file = {.state = state, .since = Clock::now(), .error = std::move(file.error)};
        continue;
      }
      if (file.done || file.tried || Clock::now() - file.since < settled) continue;
      file.tried = true;
      try {
        report((std::filesystem::path(folder) / name).string());
        file.done = true;
        ++reported;
      } catch (const Error& error) {
        file.error = error.what();
      }
      if (interrupted()) break;
    }
    std::this_thread::sleep_for(pause);
  }
  for (const auto& [name, file] : known) {
    if (!file.done) {
      streams.warning(fmt::format("{} was not reported: {}", name,
                                  file.error.empty() ? "it was still being written" : file.error));
    }
  }
  streams.note(fmt::format("reported {}", plural(reported, "trace")));
  return Exit::done;
}

}  // namespace kr::cli
