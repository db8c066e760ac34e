#include "trace/raw_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/file.hpp"
#include "base/input_files.hpp"

namespace kr::trace {

RawSource::RawSource(const std::string& path, std::string shown, Progress* progress)
    : shown_(std::move(shown)), progress_(progress) {
  owned_ = path != "-";
  descriptor_ = owned_ ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
  if (descriptor_ < 0) throw cannot_read(shown_, errno);
  struct stat info {};
  if (::fstat(descriptor_, &info) == 0) {
    folder_ = S_ISDIR(info.st_mode);
    if (folder_ && !owned_) {
      throw Error(shown_, "is a folder, not a trace",
                  "name a file in it: an nsys report, its SQLite export or its cuda_gpu_trace CSV");
    }
    if (!folder_) InputFiles::note(descriptor_);
    regular_ = owned_ && S_ISREG(info.st_mode);
    if (S_ISREG(info.st_mode)) {
      ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
      if (progress_ != nullptr) progress_->total += static_cast<uint64_t>(info.st_size);
    }
  }
}

RawSource::RawSource(std::string_view bytes, std::string shown)
    : shown_(std::move(shown)), memory_(bytes) {}

RawSource::~RawSource() {
  if (owned_) ::close(descriptor_);
}

std::string_view RawSource::head(size_t size) {
  if (!memory_.empty()) return memory_.substr(0, size);
  head_.resize(size);
  size_t held = 0;
  while (const size_t got = read(head_.data() + held, size - held)) held += got;
  head_.resize(held);
  memory_ = head_;
  return memory_;
}

size_t RawSource::read(char* to, size_t room) {
  if (!memory_.empty()) {
    const size_t size = std::min(room, memory_.size());
    std::copy_n(memory_.data(), size, to);
    memory_.remove_prefix(size);
    return size;
  }
  if (descriptor_ < 0 || folder_ || room == 0) return 0;
  while (true) {
    const ssize_t got = ::read(descriptor_, to, room);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(shown_, std::string("cannot be read: ") + std::strerror(errno));
    if (progress_ != nullptr) {
      progress_->done.fetch_add(static_cast<uint64_t>(got), std::memory_order_relaxed);
    }
    return static_cast<size_t>(got);
  }
}

}  // namespace kr::trace
