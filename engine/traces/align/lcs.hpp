// Longest common subsequences of two lists of numbers, by rows of bits (H. Hyyrö, Bit-parallel LCS
// length computation revisited, 2004). Time: n·m / 64 steps; memory of a table: n·m / 8 bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kr::align {

using Names = std::span<const uint32_t>;

/// Of the names of one list: by name and block of 64, where it stands, from the end on.
class NamePlaces {
 public:
  explicit NamePlaces(Names names);

  size_t size() const noexcept { return size_; }
  size_t words() const noexcept { return words_; }
  /// The row of bits of a name; null: the list does not have it.
  const uint64_t* find(uint32_t name) const;

 private:
  size_t size_;
  size_t words_;
  std::vector<uint32_t> distinct_;  // sorted
  std::vector<uint64_t> bits_;      // by place in `distinct_`
};

size_t lcs_length(Names a, const NamePlaces& b);

/// By place in both lists, the length of what is still to be matched: the longest common
/// subsequence of a[i..] and b[j..].
class LcsRest {
 public:
  LcsRest(Names a, const NamePlaces& b);

  /// Time: m / 64.
  uint32_t at(size_t i, size_t j) const;
  /// at(i, j) - at(i, j + 1), which is 0 or 1.
  uint32_t step(size_t i, size_t j) const {
    const size_t bit = size_ - j - 1;
    return static_cast<uint32_t>(~row(i)[bit / 64] >> (bit % 64) & 1);
  }

 private:
  const uint64_t* row(size_t i) const { return rows_.data() + (rows_count_ - i) * words_; }

  size_t size_;
  size_t words_;
  size_t rows_count_;
  std::vector<uint64_t> rows_;
};

}  // namespace kr::align
