// Numbers and texts as bytes between processes of the same program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kr::processes {

class MessageWriter {
 public:
  void number(uint64_t value);
  void text(std::string_view text);
  const std::string& bytes() const noexcept { return bytes_; }

 private:
  std::string bytes_;
};

/// Reads in the order of writing. Throws InternalError if nothing is left to read.
class MessageReader {
 public:
  /// `bytes` has to outlive the reader and the texts.
  explicit MessageReader(std::string_view bytes) : left_(bytes) {}
  uint64_t number();
  std::string_view text();
  bool at_end() const noexcept { return left_.empty(); }

 private:
  std::string_view take(size_t bytes);
  std::string_view left_;
};

}  // namespace kr::processes
