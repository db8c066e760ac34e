#include "source/text_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/descriptor.hpp"
#include "base/file.hpp"

namespace kr::source {
namespace {

/// Throws if a file of this kind must not be read.
void check_kind(const std::filesystem::path& path, mode_t mode, Pipes pipes) {
  if (S_ISREG(mode)) return;
  if (S_ISDIR(mode)) throw Error(path.string(), "is a folder, not a file", "name a file in it");
  if (S_ISFIFO(mode) && pipes == Pipes::read) return;
  const char* what = S_ISFIFO(mode)   ? "is a pipe, not a regular file"
                     : S_ISSOCK(mode) ? "is a socket, not a regular file"
                                      : "is a device, not a regular file";
  throw Error(path.string(), what, "name a regular file; copy the text into one");
}

}  // namespace

std::string read_standard_input() {
  return read_file(STDIN_FILENO, "standard input", max_text_bytes);
}

std::string read_text_file(const std::filesystem::path& path, Pipes pipes) {
  // Opening a pipe may block and opening a device may have side effects: check the kind first.
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) throw cannot_read(path, errno);
  check_kind(path, info.st_mode, pipes);
  const int wait = S_ISFIFO(info.st_mode) ? 0 : O_NONBLOCK;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | wait));
  if (!file.describe(info)) throw cannot_read(path, errno);
  check_kind(path, info.st_mode, pipes);  // another process may have replaced the file
  return read_file(file.number(), path, max_text_bytes);
}

}  // namespace kr::source
