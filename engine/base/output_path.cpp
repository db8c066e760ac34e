#include "base/output_path.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/error.hpp"

namespace kr {
namespace {

namespace fs = std::filesystem;

constexpr int max_links = 40;  // as the kernel has it

Error refused(const fs::path& path, std::string why, std::string remedy) {
  return {path.string(), std::move(why), std::move(remedy)};
}

Error failed(const fs::path& path, int code, std::string remedy = {}) {
  return {path.string(), std::string("cannot be written: ") + std::strerror(code),
          std::move(remedy)};
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// N where `path` is file N of this process below /proc, by whatever links.
std::optional<int> own_descriptor(const fs::path& path) {
  const std::string number = path.filename().string();
  if (number.empty() || number.size() > 9 ||
      number.find_first_not_of("0123456789") != number.npos) {
    return std::nullopt;
  }
  std::error_code error;
  const fs::path folder = fs::canonical(folder_of(path), error);
  if (error) return std::nullopt;
  for (const char* own : {"/proc/self/fd", "/proc/thread-self/fd"}) {
    if (const fs::path real = fs::canonical(own, error); !error && real == folder) {
      return std::stoi(number);
    }
  }
  return std::nullopt;
}

/// A copy shares its place in the file with the original: what else is written to it stays.
int copy_of(int descriptor, const fs::path& shown) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0) throw failed(shown, errno);
  if ((flags & O_ACCMODE) == O_RDONLY) {
    throw refused(shown, "is open for reading only", "write to another file");
  }
  const int copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) throw failed(shown, errno);
  return copy;
}

int open_stream(const fs::path& path, const struct stat& info, int flags, const fs::path& shown) {
  if (S_ISBLK(info.st_mode)) {
    throw refused(shown, "is a block device, which kr does not write to", "name a file");
  }
  if (S_ISSOCK(info.st_mode)) throw refused(shown, "is a socket", "name a file or a FIFO");
  while (true) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC | flags);
    if (descriptor >= 0) return descriptor;
    if (errno == EINTR) continue;
    throw failed(shown, errno, errno == EACCES ? "change its permissions, or write elsewhere" : "");
  }
}

bool in_proc(const fs::path& path) {
  struct statfs info {};
  return ::statfs(folder_of(path).c_str(), &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

/// Links are read here and not by the kernel, so its rule for shared folders (protected_symlinks)
/// is kept here: in a sticky folder that everybody can write, another user's link is not followed.
void check_link(const fs::path& link, const struct stat& info, const fs::path& shown) {
  struct stat folder {};
  if (::stat(folder_of(link).c_str(), &folder) != 0) return;
  const bool shared = (folder.st_mode & S_ISVTX) != 0 && (folder.st_mode & S_IWOTH) != 0;
  if (!shared || info.st_uid == ::geteuid() || info.st_uid == folder.st_uid) return;
  throw refused(shown, "is a link of another user in a folder that everybody can write to",
                "name the file that it points to, or write elsewhere");
}

fs::path target_of(const fs::path& link, const fs::path& shown) {
  std::error_code error;
  const fs::path target = fs::read_symlink(link, error);
  if (error) throw failed(shown, error.value());
  return target.is_absolute() ? target : link.parent_path() / target;
}

}  // namespace

OutputPath open_output(const fs::path& path) {
  const auto folder = [&path] {
    return refused(path, "is a folder, not a file", "name a file in it");
  };
  if (path.empty()) throw refused(path, "the output has no name", "name a file");
  OutputPath out;
  fs::path at = path;
  for (int links = 0; links <= max_links; ++links) {
    if (const auto own = own_descriptor(at)) {
      out.stream = Descriptor(copy_of(*own, path));
      return out;
    }
    struct stat info {};
    if (::lstat(at.c_str(), &info) != 0) {
      const int code = errno;
      if (code != ENOENT) throw failed(path, code);
      if (!at.has_filename()) throw folder();
      out.file = std::move(at);
      return out;
    }
    if (S_ISLNK(info.st_mode) && in_proc(at)) {
      // An open file of another process; its link has no path to follow.
      if (::stat(at.c_str(), &info) != 0) throw failed(path, errno);
      if (S_ISDIR(info.st_mode)) throw folder();
      out.stream = Descriptor(open_stream(at, info, O_APPEND, path));
      return out;
    }
    if (S_ISLNK(info.st_mode)) {
      check_link(at, info, path);
      at = target_of(at, path);
      continue;
    }
    if (S_ISDIR(info.st_mode)) throw folder();
    if (S_ISREG(info.st_mode)) {
      out.file = std::move(at);
      out.there = info;
    } else {
      out.stream = Descriptor(open_stream(at, info, 0, path));
    }
    return out;
  }
  throw failed(path, ELOOP);
}

}  // namespace kr
