#include "base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>
#include <vector>

#include "base/nearest.hpp"

namespace kr {
namespace {

namespace fs = std::filesystem;

std::string reason(int error) {
  return std::strerror(error);
}

Error missing(const fs::path& path) {
  std::error_code error;
  if (const fs::path target = fs::read_symlink(path, error); !error) {
    return {path.string(), "is a link to `" + target.string() + "`, which is not there",
            "mend the link or remove it"};
  }
  if (const auto near = near_file(path)) {
    return {path.string(), "no such file", "did you mean `" + *near + "`?"};
  }
  const fs::path folder = path.parent_path();
  if (!folder.empty() && !fs::exists(folder, error)) {
    return {path.string(), "no such file", "there is no folder `" + folder.string() + "`"};
  }
  return {path.string(), "no such file", "check how its name is written"};
}

/// Paths of pending files where a signal handler can find them: it may neither allocate nor lock.
struct Pending {
  std::atomic<bool> taken = false;
  std::atomic<bool> set = false;
  std::array<char, PATH_MAX> path;
};
std::array<Pending, 32> all_pending;

/// A number for `path`; none where there are too many, which are left behind by a signal.
std::optional<size_t> note_pending(const std::string& path) {
  for (size_t i = 0; i < all_pending.size(); ++i) {
    Pending& one = all_pending[i];
    if (path.size() >= one.path.size() || one.taken.exchange(true)) continue;
    std::copy_n(path.c_str(), path.size() + 1, one.path.begin());
    one.set = true;
    return i;
  }
  return std::nullopt;
}

void forget_pending(std::optional<size_t> number) {
  if (!number) return;
  all_pending[*number].set = false;
  all_pending[*number].taken = false;
}

}  // namespace

std::optional<std::string> near_file(const fs::path& path) {
  const fs::path folder = path.parent_path();
  std::vector<std::string> names;
  std::error_code error;
  for (auto at = fs::directory_iterator(folder.empty() ? "." : folder, error);
       !error && at != fs::directory_iterator(); at.increment(error)) {
    names.push_back(at->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  const auto near = nearest(path.filename().string(), names);
  return near ? std::optional((folder / *near).string()) : std::nullopt;
}

Error cannot_read(const fs::path& path, int code) {
  if (code == ENOENT) return missing(path);
  std::string remedy;
  if (code == EACCES) remedy = "change its permissions, or those of a folder it is in";
  return {path.string(), reason(code), std::move(remedy)};
}

std::string read_file(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw cannot_read(path, errno);
  struct Closer {
    int descriptor;
    ~Closer() { ::close(descriptor); }
  } closer{descriptor};
  struct stat info {};
  if (::fstat(descriptor, &info) == 0 && S_ISDIR(info.st_mode)) {
    throw Error(path.string(), "is a folder, not a file", "name a file in it");
  }
  std::string bytes;
  size_t size = 0;
  bytes.resize(info.st_size > 0 ? static_cast<size_t>(info.st_size) + 1 : 65536);
  while (true) {
    if (size == bytes.size()) bytes.resize(2 * size);
    const ssize_t got = ::read(descriptor, bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw cannot_read(path, errno);
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  bytes.resize(size);
  return bytes;
}

void remove_pending_files() noexcept {
  for (const Pending& one : all_pending) {
    if (one.set) ::unlink(one.path.data());
  }
}

PendingFile::PendingFile(std::filesystem::path path) : path_(std::move(path)) {
  static std::atomic<unsigned> count{0};
  aside_ = path_;
  aside_ += fmt::format(".{}-{}.part", ::getpid(), count++);
  if (std::filesystem::is_directory(path_)) {
    throw Error(path_.string(), "is a folder, not a file", "name a file in it");
  }
  descriptor_ = ::open(aside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    const int code = errno;
    throw Error(path_.string(), "cannot be written: " + reason(code),
                code == ENOENT   ? "make its folder first"
                : code == EACCES ? "change the permissions of its folder, or write elsewhere"
                                 : "");
  }
  noted_ = note_pending(aside_);
}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : path_(std::move(other.path_)),
      aside_(std::move(other.aside_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      noted_(std::exchange(other.noted_, std::nullopt)) {
  other.aside_.clear();
}

PendingFile::~PendingFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!aside_.empty()) ::unlink(aside_.c_str());
  forget_pending(noted_);
}

void PendingFile::fail(std::string_view what) {
  const std::string why = reason(errno);
  throw Error(path_.string(), fmt::format("{}: {}", what, why));
}

void PendingFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(descriptor_, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail("cannot be written");
    bytes.remove_prefix(static_cast<size_t>(put));
  }
}

void PendingFile::keep_permissions() {
  struct stat info {};
  if (::stat(path_.c_str(), &info) != 0) return;
  if (::fchmod(descriptor_, info.st_mode & 07777) != 0) fail("cannot be given its permissions");
}

void PendingFile::commit() {
  if (::close(std::exchange(descriptor_, -1)) != 0) fail("cannot be written");
  if (::rename(aside_.c_str(), path_.c_str()) != 0) fail("cannot be put in place");
  aside_.clear();
  forget_pending(std::exchange(noted_, std::nullopt));
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  PendingFile file(path);
  file.write(bytes);
  file.commit();
}

void replace_file(const std::filesystem::path& path, std::string_view bytes) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  PendingFile file(error ? path : real);
  file.keep_permissions();
  file.write(bytes);
  file.commit();
}

}  // namespace kr
