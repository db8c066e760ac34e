// A file of protobuf messages, one field of the outermost message at a time: memory is what the
// largest of them needs, however large the file is.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/input.hpp"
#include "trace/readers/wire.hpp"

namespace kr::trace {

class WireStream {
 public:
  explicit WireStream(Input& input) : input_(&input) {}

  /// The next field; its bytes are valid until the next call. False at the end, and, where
  /// truncated files are allowed, where the last field is cut off. Throws Error: what follows is no
  /// field, or the file ends within it. A length is believed only as far as there are bytes.
  bool next(WireField& field);
  /// Of the first byte of that field in the decompressed file.
  uint64_t offset() const noexcept { return offset_; }
  /// The file ended within a field, at `offset`.
  bool cut_off() const noexcept { return cut_off_; }

 private:
  bool more();
  Input* input_;
  std::vector<char> bytes_;
  size_t begin_ = 0;  // of the next field in `bytes_`
  size_t last_ = 0;   // of the field before
  size_t end_ = 0;
  uint64_t offset_ = 0;
  bool input_ended_ = false;
  bool cut_off_ = false;
};

}  // namespace kr::trace
