// Texts, each held once: lists of them are compared and indexed by number.
#pragma once

#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

namespace kr {

class DistinctTexts {
 public:
  DistinctTexts();

  /// The text's number: from 0, in the order first met.
  uint32_t add(std::string_view text);
  /// Stays where it is.
  std::string_view text(uint32_t number) const { return texts_[number]; }
  size_t size() const noexcept { return texts_.size(); }

 private:
  struct Slot {
    uint64_t hash = 0;
    uint32_t number = UINT32_MAX;  // of none
  };
  void grow();
  std::string_view store(std::string_view text);

  std::vector<std::string_view> texts_;
  std::vector<Slot> slots_;               // open addressing, a power of two
  std::deque<std::vector<char>> blocks_;  // the bytes
  size_t left_ = 0;
};

}  // namespace kr
