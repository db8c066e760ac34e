#include "match/cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "match/bytes.hpp"
#include "match/scanner.hpp"

namespace kr {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::string_view extension = ".krhs";
constexpr std::string_view aside_extension = ".part";

std::string file_name(std::string_view key) {
  const Hash128 hash = hash128(key);
  return fmt::format("{:016x}{:016x}{}", hash.high, hash.low, extension);
}

/// A variable that is set and not empty.
const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

}  // namespace

std::optional<Database::Cache> Database::Cache::of_process() {
  if (std::getenv("KR_CACHE_DIR") != nullptr) {
    const char* folder = variable("KR_CACHE_DIR");
    return folder != nullptr ? std::optional<Cache>(Cache{folder}) : std::nullopt;
  }
  // A relative XDG_CACHE_HOME is to be ignored, says the XDG base directory specification.
  if (const char* home = variable("XDG_CACHE_HOME"); home != nullptr && *home == '/') {
    return Cache{fs::path(home) / "kr"};
  }
  if (const char* home = variable("HOME")) return Cache{fs::path(home) / ".cache" / "kr"};
  return std::nullopt;
}

DatabaseCache::DatabaseCache(const fs::path& folder, std::string_view key)
    : folder_(folder), file_(folder / file_name(key)) {}

std::string DatabaseCache::read() const noexcept {
  try {
    std::error_code error;
    // A device or a pipe under the name would be read for ever.
    if (!fs::is_regular_file(file_, error)) return {};
    std::string bytes = read_file(file_);
    const auto now = fs::file_time_type::clock::now();
    const auto used = fs::last_write_time(file_, error);
    if (!error && now - used > 24h) fs::last_write_time(file_, now, error);
    return bytes;
  } catch (const std::exception&) {
    return {};
  }
}

void DatabaseCache::write(std::string_view bytes) const noexcept {
  try {
    fs::create_directories(folder_);
    PendingFile file(file_);
    file.write(bytes);
    file.commit();
    prune();
  } catch (const std::exception&) {
    // The next process compiles again: no more is lost.
    return;
  }
}

void DatabaseCache::prune() const {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  const auto now = fs::file_time_type::clock::now();
  std::error_code error;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    const fs::path& path = at->path();
    std::error_code gone;
    const auto used = at->last_write_time(gone);
    if (gone) continue;
    if (path.extension() == extension) files.emplace_back(used, path);
    // What a process that died left behind.
    const bool aside = path.extension() == aside_extension &&
                       path.filename().string().find(extension) != std::string::npos;
    if (aside && now - used > 1h) fs::remove(path, gone);
  }
  if (files.size() <= max_files) return;
  std::sort(files.begin(), files.end());
  files.resize(files.size() - max_files);
  for (const auto& [used, path] : files) fs::remove(path, error);
}

}  // namespace kr
