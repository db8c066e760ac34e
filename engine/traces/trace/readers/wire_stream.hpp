// A file of protobuf messages, one field of the outermost message at a time: memory is what the
// largest of them needs, however large the file is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/growing_array.hpp"
#include "trace/input.hpp"
#include "trace/readers/wire.hpp"

namespace kr::trace {

/// Whole fields of the outermost message, and where the first of them is in the decompressed file.
class WireBlock {
 public:
  std::string_view fields() const noexcept { return {bytes_.begin() + begin_, end_ - begin_}; }
  uint64_t offset() const noexcept { return offset_; }

 private:
  friend class WireStream;
  GrowingArray<char> bytes_;
  size_t begin_ = 0;
  size_t end_ = 0;
  uint64_t offset_ = 0;
};

class WireStream {
 public:
  explicit WireStream(Input& input) : input_(&input) {}

  /// The next field; its bytes are valid until the next call. False at the end, and, where
  /// truncated files are allowed, where the last field is cut off. Throws Error: what follows is no
  /// field, or the file ends within it. A length is believed only as far as there are bytes.
  bool next(WireField& field);
  /// The same for all next fields that were read at once, at least one.
  bool next(WireBlock& block);
  /// Of the first byte of that field in the decompressed file; behind that block.
  uint64_t offset() const noexcept { return offset_; }
  /// The file ended within a field, at `offset`.
  bool cut_off() const noexcept { return cut_off_; }

 private:
  size_t whole_field();
  bool more();

  Input* input_;
  GrowingArray<char> bytes_;  // grows without being zeroed
  size_t begin_ = 0;          // of the next field in `bytes_`
  size_t last_ = 0;           // of the field before
  size_t end_ = 0;
  uint64_t offset_ = 0;
  bool input_ended_ = false;
  bool cut_off_ = false;
};

}  // namespace kr::trace
