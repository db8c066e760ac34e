// A file descriptor that is closed with its scope.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

namespace kr {

class Descriptor {
 public:
  /// Of what open() gave: negative, nothing is open.
  explicit Descriptor(int opened) noexcept : number_(opened) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const noexcept { return number_; }
  /// Whether something is open, of which `info` then tells.
  bool describe(struct stat& info) const noexcept {
    return number_ >= 0 && ::fstat(number_, &info) == 0;
  }

 private:
  int number_;
};

}  // namespace kr
