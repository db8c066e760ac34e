#include "base/part_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string_view>

#include "base/error.hpp"

namespace kr {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz234567";
constexpr std::string_view ending = ".part";
constexpr size_t random_letters = 12;
constexpr size_t tail_size = 1 + random_letters + ending.size();
constexpr int max_attempts = 100;

/// All parts of this process.
struct Parts {
  std::mutex mutex;
  std::set<std::string> paths;
};

/// Never destroyed: a signal may come while the program ends.
Parts& parts() {
  static Parts& all = *new Parts;
  return all;
}

/// What the names of all parts of `target` begin with.
std::string head_of(const fs::path& target) {
  return target.filename().string().substr(0, NAME_MAX - tail_size) + '.';
}

std::string random_tail() {
  std::array<unsigned char, random_letters> bytes{};
  for (size_t size = 0; size < bytes.size();) {
    const ssize_t got = ::getrandom(bytes.data() + size, bytes.size() - size, 0);
    if (got < 0 && errno != EINTR) {
      throw Error("", std::string("the system gives no random bytes: ") + std::strerror(errno),
                  "kr needs Linux 3.17 or newer");
    }
    if (got > 0) size += static_cast<size_t>(got);
  }
  std::string tail;
  for (const unsigned char byte : bytes) tail += letters[byte % letters.size()];
  return tail.append(ending);
}

bool is_part(std::string_view name, std::string_view head) {
  if (name.size() != head.size() + random_letters + ending.size()) return false;
  return name.starts_with(head) && name.ends_with(ending) &&
         name.substr(head.size(), random_letters).find_first_not_of(letters) == name.npos;
}

/// Whether `path` still names the open file.
bool names(const fs::path& path, int descriptor, const struct stat& open) {
  struct stat named {};
  return descriptor >= 0 && ::lstat(path.c_str(), &named) == 0 && named.st_dev == open.st_dev &&
         named.st_ino == open.st_ino;
}

void remove_path(const fs::path& path) noexcept {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return;
  // A program that is ending may still have made a file while its folder was emptied.
  std::error_code error;
  for (int i = 0; i < 3; ++i) {
    fs::remove_all(path, error);
    if (!error) return;
  }
}

void remove_if_left_over(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return;
  struct stat info {};
  if (::fstat(descriptor, &info) == 0 && (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)) &&
      info.st_uid == ::geteuid() && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 &&
      names(path, descriptor, info)) {
    remove_path(path);
  }
  ::close(descriptor);
}

void remove_left_over(const fs::path& folder, std::string_view head) {
  std::error_code error;
  for (fs::directory_iterator at(folder.empty() ? "." : folder, error), end; !error && at != end;
       at.increment(error)) {
    if (is_part(at->path().filename().native(), head)) remove_if_left_over(at->path());
  }
}

}  // namespace

fs::path temporary_folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

/// `make` returns a descriptor, which is locked.
Part::Part(const fs::path& target, const std::string& shown,
           const std::function<int(const fs::path&)>& make) {
  const fs::path folder = target.parent_path();
  const std::string head = head_of(target);
  remove_left_over(folder, head);
  int code = EEXIST;
  for (int i = 0; i < max_attempts && code == EEXIST; ++i) {
    const fs::path path = folder / (head + random_tail());
    const std::lock_guard lock(parts().mutex);
    const int descriptor = make(path);
    if (descriptor < 0) {
      code = errno;
      continue;
    }
    // Another run may take it for left over before it is locked, and remove it.
    struct stat info {};
    const bool locked = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    if (locked && ::fstat(descriptor, &info) == 0 && names(path, descriptor, info)) {
      parts().paths.insert(path.string());
      path_ = path;
      descriptor_ = descriptor;
      return;
    }
    ::close(descriptor);
  }
  if (folder == temporary_folder()) {
    throw Error(shown,
                "cannot create a temporary file in " + folder.string() + ": " + std::strerror(code),
                "set TMPDIR to a writable folder");
  }
  throw Error(shown, std::string("cannot be written: ") + std::strerror(code),
              code == ENOENT   ? "create its folder first"
              : code == EACCES ? "change the permissions of its folder, or write elsewhere"
                               : "");
}

Part::~Part() {
  if (!path_.empty()) {
    const std::lock_guard lock(parts().mutex);
    remove_path(path_);
    parts().paths.erase(path_.string());
  }
  if (descriptor_ >= 0) ::close(descriptor_);
}

PartFile::PartFile(const fs::path& target, const std::string& shown, mode_t mode)
    : Part(target, shown, [mode](const fs::path& path) {
        return ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
      }) {}

int PartFile::put(const fs::path& target) noexcept {
  // The lock stays until the file has its name. Closing a copy says whether all was written.
  const int copy = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  if (copy < 0 || ::close(copy) != 0) return errno;
  const std::lock_guard lock(parts().mutex);
  if (::rename(path_.c_str(), target.c_str()) != 0) return errno;
  parts().paths.erase(path_.string());
  path_.clear();
  return 0;
}

PartFolder::PartFolder(const fs::path& target, const std::string& shown)
    : Part(target, shown, [](const fs::path& path) {
        if (::mkdir(path.c_str(), 0700) != 0) return -1;
        const int descriptor =
            ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (descriptor >= 0) return descriptor;
        // Another run that begins now may have taken it for left over: then it is made again.
        const int code = errno == ENOENT ? EEXIST : errno;
        ::rmdir(path.c_str());
        errno = code;
        return -1;
      }) {}

void remove_parts() noexcept {
  parts().mutex.lock();
  for (const std::string& path : parts().paths) remove_path(path);
}

}  // namespace kr
