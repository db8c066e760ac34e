#include "source/text_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/file.hpp"

namespace kr {
namespace {

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

Error too_long(const std::filesystem::path& path) {
  return {path.string(), "is longer than 64 MiB, more than any file of text kr reads",
          "check that it is the file you mean, or split it"};
}

/// Throws where the kind of file is not to be read.
void check_kind(const std::filesystem::path& path, mode_t mode, Pipes pipes) {
  if (S_ISREG(mode)) return;
  if (S_ISDIR(mode)) throw Error(path.string(), "is a folder, not a file", "name a file in it");
  if (S_ISFIFO(mode) && pipes == Pipes::read) return;
  const char* what = S_ISFIFO(mode)   ? "is a pipe, not a regular file"
                     : S_ISSOCK(mode) ? "is a socket, not a regular file"
                                      : "is a device, not a regular file";
  throw Error(path.string(), what, "name a regular file; copy the text into one");
}

/// All there is to read; `expected` bytes, as far as that is known.
std::string read_all(int descriptor, const std::filesystem::path& path, size_t expected) {
  std::string bytes;
  size_t size = 0;
  bytes.resize(expected > 0 ? expected + 1 : 65536);
  while (true) {
    if (size > max_text_bytes) throw too_long(path);
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

}  // namespace

std::string read_standard_input() {
  return read_all(STDIN_FILENO, "<stdin>", 0);
}

std::string read_text_file(const std::filesystem::path& path, Pipes pipes) {
  // Opening alone may wait, or set a device off: the kind is looked at first.
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) throw cannot_read(path, errno);
  check_kind(path, info.st_mode, pipes);
  const int wait = S_ISFIFO(info.st_mode) ? 0 : O_NONBLOCK;
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | wait)};
  if (file.number < 0 || ::fstat(file.number, &info) != 0) throw cannot_read(path, errno);
  check_kind(path, info.st_mode, pipes);  // it may be another file by now
  const bool regular = S_ISREG(info.st_mode);
  if (regular && info.st_size > static_cast<off_t>(max_text_bytes)) throw too_long(path);
  return read_all(file.number, path, regular ? static_cast<size_t>(info.st_size) : 0);
}

}  // namespace kr
