// A text in blocks that end between rows, in buffers that are used again.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "trace/input.hpp"

namespace kr::trace {

/// A buffer and the text in it; scan_padding zero bytes follow.
class TextBlock {
 public:
  void reserve(size_t bytes);
  void assign(std::string_view head);
  /// From `input` until it has `bytes`. True where the input ended before.
  bool fill(Input& input, size_t bytes);
  void shrink(size_t bytes) noexcept;
  std::string_view text() const noexcept { return {bytes_.get(), size_}; }

  uint64_t offset = 0;  // of its first byte in the decompressed text
  bool last = false;    // the input ends with it

 private:
  std::unique_ptr<char[]> bytes_;
  size_t size_ = 0;
  size_t room_ = 0;
};

/// Cuts the text of an input into blocks, and takes back what a block did not use.
class TextBlocks {
 public:
  explicit TextBlocks(Input& input) : input_(&input), block_size_(input.options().block_size) {}

  /// The next block as it comes, which may end anywhere; a small one, since a header is looked for
  /// in it, or what is odd. False at the end.
  bool next(TextBlock& block);
  /// The next block, which begins with a row, cut after its last whole row or at the end of the
  /// input. False at the end, and where no row is whole in a block. Rows are taken to end with
  /// their line unless `quoted`: cells contain line breaks, and quotes are counted.
  bool next_rows(TextBlock& block, bool quoted);
  /// What follows `used` bytes of `block` is to come again, before what is still to come.
  void give_back(const TextBlock& block, size_t used);
  /// The next block is to be larger: nothing of the last one, which began in `line`, could be used.
  /// Throws Error where that has gone on for long.
  void enlarge(uint64_t line);

 private:
  bool read(TextBlock& block, size_t block_size);

  Input* input_;
  size_t block_size_;
  size_t enlarged_ = 0;
  std::vector<char> rest_;
  uint64_t offset_ = 0;  // of what comes next
  bool ended_ = false;
};

}  // namespace kr::trace
