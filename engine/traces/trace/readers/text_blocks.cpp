#include "trace/readers/text_blocks.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "trace/readers/csv_scan.hpp"

namespace kr::trace {
namespace {

constexpr size_t small_block = size_t{64} << 10;
constexpr size_t longest_row = size_t{64} << 20;

}  // namespace

void TextBlock::reserve(size_t bytes) {
  if (bytes_ && bytes <= room_) return;
  auto grown = std::make_unique_for_overwrite<char[]>(bytes + scan_padding);
  std::copy_n(bytes_.get(), size_, grown.get());
  bytes_ = std::move(grown);
  room_ = bytes;
}

void TextBlock::assign(std::string_view head) {
  reserve(head.size());
  std::copy(head.begin(), head.end(), bytes_.get());
  shrink(head.size());
}

void TextBlock::shrink(size_t bytes) noexcept {
  size_ = bytes;
  std::fill_n(bytes_.get() + size_, scan_padding, '\0');
}

bool TextBlock::fill(Input& input, size_t bytes) {
  reserve(bytes);
  const size_t wanted = bytes - size_;
  const size_t got = input.read(bytes_.get() + size_, wanted);
  shrink(size_ + got);
  return got < wanted;
}

bool TextBlocks::next(TextBlock& block) {
  return read(block, std::min(block_size_, small_block));
}

bool TextBlocks::read(TextBlock& block, size_t block_size) {
  // One byte more than what is left over, so that a block always brings something new.
  const size_t bytes = std::max({block_size, enlarged_, rest_.size() + 1});
  block.assign({rest_.data(), rest_.size()});
  rest_.clear();
  if (!ended_) ended_ = block.fill(*input_, bytes);
  block.offset = offset_;
  block.last = ended_;
  offset_ += block.text().size();
  return !block.text().empty();
}

bool TextBlocks::next_rows(TextBlock& block, bool quoted) {
  if (!read(block, block_size_)) return false;
  if (block.last) return true;
  const std::string_view text = block.text();
  const size_t rows = quoted ? whole_rows(text) : text.rfind('\n') + 1;  // 0: none
  give_back(block, rows);
  block.shrink(rows);
  return rows != 0;
}

void TextBlocks::give_back(const TextBlock& block, size_t used) {
  const std::string_view back = block.text().substr(used);
  rest_.insert(rest_.begin(), back.begin(), back.end());
  offset_ = block.offset + used;
  if (used != 0) enlarged_ = 0;
}

void TextBlocks::enlarge(uint64_t line) {
  enlarged_ = std::max({enlarged_, block_size_, rest_.size()}) * 2;
  if (enlarged_ > longest_row) {
    throw Error(input_->shown(), Error::Place{.line = line, .offset = offset_},
                "a row or line begins here that does not end within 64 MiB",
                "is this a CSV with a missing quote?");
  }
}

}  // namespace kr::trace
