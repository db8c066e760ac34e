#include "trace/temporary_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "base/error.hpp"
#include "base/part_file.hpp"

namespace kr::trace {

TemporaryFile::TemporaryFile(Input& input) : folder_(temporary_folder().string()) {
  {
    // The file stays while it is open, and its name goes now.
    const PartFile named(temporary_folder() / "kr", folder_, 0600);
    descriptor_ = ::fcntl(named.descriptor(), F_DUPFD_CLOEXEC, 0);
  }
  if (descriptor_ < 0) {
    throw Error(folder_, std::string("cannot create a temporary file: ") + std::strerror(errno));
  }
  std::vector<char> block(size_t{1} << 20);
  try {
    while (const size_t size = input.read(block.data(), block.size())) write(block.data(), size);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

TemporaryFile::~TemporaryFile() {
  ::close(descriptor_);
}

void TemporaryFile::write(const char* bytes, size_t size) {
  while (size != 0) {
    const ssize_t put = ::write(descriptor_, bytes, size);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      throw Error(folder_, std::string("cannot unpack the trace: ") + std::strerror(errno),
                  "set TMPDIR to a folder with enough space for the unpacked file");
    }
    bytes += put;
    size -= static_cast<size_t>(put);
  }
}

void TemporaryFile::cut(uint64_t size) {
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) {
    throw Error(folder_, std::string("cannot truncate a temporary file: ") + std::strerror(errno));
  }
}

std::string TemporaryFile::location() const {
  return fmt::format("/proc/self/fd/{}", descriptor_);
}

}  // namespace kr::trace
