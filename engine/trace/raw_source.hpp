// The bytes of a trace as they are stored: a file, standard input, or memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/open.hpp"

namespace kr::trace {

class RawSource {
 public:
  /// `path` `-` is standard input, which may not be a folder. Throws Error where it is missing or
  /// unreadable.
  RawSource(const std::string& path, std::string shown, Progress* progress);
  /// Bytes in memory, which have to live as long; `shown` stands in errors.
  RawSource(std::string_view bytes, std::string shown);
  ~RawSource();
  RawSource(const RawSource&) = delete;
  RawSource& operator=(const RawSource&) = delete;

  /// The first bytes, at most so many, before any was read: they come again. Throws Error.
  std::string_view head(size_t size);
  /// Up to `room` bytes; 0 at the end, and only there. Throws Error.
  size_t read(char* to, size_t room);
  const std::string& shown() const noexcept { return shown_; }
  /// A file in the file system, not a pipe.
  bool regular() const noexcept { return regular_; }
  /// There is nothing to read by `read`.
  bool folder() const noexcept { return folder_; }

 private:
  std::string shown_;
  std::string head_;
  std::string_view memory_;  // comes before what the descriptor gives
  int descriptor_ = -1;
  bool owned_ = false;
  bool regular_ = false;
  bool folder_ = false;
  Progress* progress_ = nullptr;
};

}  // namespace kr::trace
