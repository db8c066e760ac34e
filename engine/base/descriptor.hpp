// A file descriptor that is closed with its scope.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <utility>

namespace kr {

class Descriptor {
 public:
  /// Of what open() gave: negative, nothing is open.
  explicit Descriptor(int opened = -1) noexcept : number_(opened) {}
  ~Descriptor() {
    if (number_ >= 0) close();
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  /// What close() says.
  int close() noexcept { return ::close(std::exchange(number_, -1)); }
  int number() const noexcept { return number_; }
  /// Whether something is open, which `info` then describes.
  bool describe(struct stat& info) const noexcept {
    return number_ >= 0 && ::fstat(number_, &info) == 0;
  }

 private:
  int number_;
};

}  // namespace kr
