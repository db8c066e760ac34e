#include "base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.hpp"

namespace kr {
namespace {

std::string reason(int error) {
  return std::strerror(error);
}

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw Error(path.string(), reason(errno));
  struct Closer {
    int descriptor;
    ~Closer() { ::close(descriptor); }
  } closer{descriptor};
  struct stat info {};
  if (::fstat(descriptor, &info) == 0 && S_ISDIR(info.st_mode)) {
    throw Error(path.string(), "is a folder, not a file");
  }
  std::string bytes;
  size_t size = 0;
  bytes.resize(info.st_size > 0 ? static_cast<size_t>(info.st_size) + 1 : 65536);
  while (true) {
    if (size == bytes.size()) bytes.resize(2 * size);
    const ssize_t got = ::read(descriptor, bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(path.string(), reason(errno));
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  bytes.resize(size);
  return bytes;
}

PendingFile::PendingFile(std::filesystem::path path) : path_(std::move(path)) {
  static std::atomic<unsigned> count{0};
  aside_ = path_;
  aside_ += fmt::format(".{}-{}.part", ::getpid(), count++);
  if (std::filesystem::is_directory(path_)) throw Error(path_.string(), "is a folder, not a file");
  descriptor_ = ::open(aside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw Error(path_.string(), "cannot be written: " + reason(errno));
}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : path_(std::move(other.path_)),
      aside_(std::move(other.aside_)),
      descriptor_(std::exchange(other.descriptor_, -1)) {
  other.aside_.clear();
}

PendingFile::~PendingFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!aside_.empty()) ::unlink(aside_.c_str());
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
