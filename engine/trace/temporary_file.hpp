// A file without a name, for readers that need a file where there is none: a compressed SQLite
// database, or one on standard input. It goes with the object, however the program ends.
#pragma once

#include <cstdint>
#include <string>

#include "trace/input.hpp"

namespace kr::trace {

class TemporaryFile {
 public:
  /// All of the input's text. Throws Error where it cannot be read or there is no room.
  explicit TemporaryFile(Input& input);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  /// Drops what is behind the first `size` bytes.
  void cut(uint64_t size);
  /// A path that opens it while the object lives, in this process.
  std::string location() const;

 private:
  void write(const char* bytes, size_t size);
  int descriptor_ = -1;
  std::string folder_;
};

}  // namespace kr::trace
