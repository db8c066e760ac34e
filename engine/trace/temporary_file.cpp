#include "trace/temporary_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/error.hpp"

namespace kr {

std::string temporary_folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

TemporaryFile::TemporaryFile(Input& input) : folder_(temporary_folder()) {
  std::string name = folder_ + "/kr-XXXXXX";
  descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor_ < 0) {
    throw Error(folder_, std::string("no temporary file can be made: ") + std::strerror(errno),
                "set TMPDIR to a folder that can be written");
  }
  ::unlink(name.c_str());
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
                  "set TMPDIR to a folder with room for the unpacked file");
    }
    bytes += put;
    size -= static_cast<size_t>(put);
  }
}

void TemporaryFile::cut(uint64_t size) {
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) {
    throw Error(folder_, std::string("cannot cut a temporary file: ") + std::strerror(errno));
  }
}

std::string TemporaryFile::location() const {
  return fmt::format("/proc/self/fd/{}", descriptor_);
}

}  // namespace kr
