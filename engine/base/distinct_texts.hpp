// Texts, each stored once: lists of them are compared and indexed by number. Moved, not copied: the
// texts of a copy would be those of the original.
#pragma once

#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "base/hash_index.hpp"

namespace kr {

class DistinctTexts {
 public:
  DistinctTexts() = default;
  DistinctTexts(DistinctTexts&&) noexcept = default;
  DistinctTexts& operator=(DistinctTexts&&) noexcept = default;
  DistinctTexts(const DistinctTexts&) = delete;
  DistinctTexts& operator=(const DistinctTexts&) = delete;

  /// The text's number: from 0, in the order first met.
  uint32_t add(std::string_view text);
  /// Stays where it is.
  std::string_view text(uint32_t number) const { return texts_[number]; }
  size_t size() const noexcept { return texts_.size(); }

 private:
  std::string_view store(std::string_view text);

  std::vector<std::string_view> texts_;
  HashIndex index_;
  std::deque<std::vector<char>> blocks_;  // the bytes
  size_t left_ = 0;                       // of the last block
};

}  // namespace kr
