#include "match/cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <utility>
#include <vector>

#include "base/descriptor.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "match/scanner.hpp"

namespace kr::match {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::string_view temporary_extension = ".part";

std::string file_name(std::string_view key, std::string_view extension) {
  const Hash128 hash = hash128(key);
  return fmt::format("{:016x}{:016x}{}", hash.high, hash.low, extension);
}

/// An environment variable; null if it is unset or empty.
const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

/// Whether only this user and the superuser can have written a file or folder.
bool is_private(const struct stat& info) {
  return info.st_uid == ::geteuid() && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

fs::path folder_of_user() {
  if (std::getenv("KR_CACHE_DIR") != nullptr) {
    const char* folder = variable("KR_CACHE_DIR");
    return folder != nullptr ? fs::path(folder) : fs::path();
  }
  // The XDG base directory specification says to ignore a relative XDG_CACHE_HOME.
  if (const char* home = variable("XDG_CACHE_HOME"); home != nullptr && *home == '/') {
    return fs::path(home) / "kr";
  }
  if (const char* home = variable("HOME")) return fs::path(home) / ".cache" / "kr";
  return {};
}

}  // namespace

std::optional<Database::Cache> Database::Cache::of_process(source::Install install) {
  Cache cache{folder_of_user(), std::move(install)};
  if (cache.folder.empty() && cache.install.databases().empty()) return std::nullopt;
  return cache;
}

CacheFile::CacheFile(const fs::path& folder, std::string_view key, std::string_view extension)
    : folder_(folder), file_(folder / file_name(key, extension)) {}

std::string CacheFile::read_installed(const source::Install& install) const noexcept {
  try {
    return install.trusts(file_) ? read_file(file_) : std::string();
  } catch (const std::exception&) {
    return {};
  }
}

std::optional<std::string> CacheFile::refusal(const fs::path& folder) {
  struct stat info {};
  if (::stat(folder.c_str(), &info) != 0) return std::nullopt;
  if (!S_ISDIR(info.st_mode)) return "is not a folder; name another in KR_CACHE_DIR";
  if (is_private(info)) return std::nullopt;
  return info.st_uid != ::geteuid()
             ? "belongs to another user; name a folder of your own in KR_CACHE_DIR"
             : "can be written by other users; run `chmod go-w` on it, or name another in "
               "KR_CACHE_DIR";
}

std::string CacheFile::read() const noexcept {
  try {
    const Descriptor folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    struct stat info {};
    if (!folder.describe(info) || !is_private(info)) return {};
    // Reading a device or pipe may never end, and a link may refer to any file.
    const Descriptor file(::openat(folder.number(), file_.filename().c_str(),
                                   O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file.describe(info) || !S_ISREG(info.st_mode) || !is_private(info)) return {};
    std::string bytes = read_file(file.number(), file_);
    if (::time(nullptr) - info.st_mtime > time_t{24} * 60 * 60) ::futimens(file.number(), nullptr);
    return bytes;
  } catch (const std::exception&) {
    return {};
  }
}

void CacheFile::write(std::string_view bytes) const noexcept {
  try {
    if (folder_.has_parent_path()) fs::create_directories(folder_.parent_path());
    ::mkdir(folder_.c_str(), 0700);
    struct stat info {};
    const Descriptor folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder.describe(info) || !is_private(info)) return;
    PartFile part(file_, file_.string(), 0600);
    if (write_all(part.descriptor(), bytes) != 0 || part.put(file_) != 0) return;
    prune();
  } catch (const std::exception&) {
    // The next process compiles again.
    return;
  }
}

void CacheFile::prune() const {
  const fs::path extension = file_.extension();
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  const auto now = fs::file_time_type::clock::now();
  std::error_code error;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    const fs::path& path = at->path();
    std::error_code gone;
    const auto used = at->last_write_time(gone);
    if (gone) continue;
    if (path.extension() == extension) files.emplace_back(used, path);
    // Temporary files of processes that died.
    const bool temporary = path.extension() == temporary_extension &&
                           path.filename().string().find(extension.string()) != std::string::npos;
    if (temporary && now - used > 1h) fs::remove(path, gone);
  }
  if (files.size() <= max_files) return;
  std::ranges::sort(files);
  files.resize(files.size() - max_files);
  for (const auto& [used, path] : files) fs::remove(path, error);
}

}  // namespace kr::match
