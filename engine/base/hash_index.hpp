// Numbers of things that are kept elsewhere, found by a hash of them.
#pragma once

#include <cstdint>
#include <vector>

namespace kr {

/// Open addressing, in a power of two of slots, half of them free at least.
class HashIndex {
 public:
  HashIndex() : slots_(first_slots) {}

  /// The number of that hash of which `same(number)` is true. Where there is none, `next`, which is
  /// found from then on.
  template <class Same>
  uint32_t find_or_add(uint64_t hash, uint32_t next, const Same& same) {
    Slot& slot = find(hash, same);
    if (slot.number != none) return slot.number;
    slot = {hash, next};
    if (++size_ * 2 > slots_.size()) grow();
    return next;
  }

 private:
  static constexpr size_t first_slots = 256;
  static constexpr uint32_t none = UINT32_MAX;
  struct Slot {
    uint64_t hash = 0;
    uint32_t number = none;
  };

  template <class Same>
  Slot& find(uint64_t hash, const Same& same) {
    const size_t mask = slots_.size() - 1;
    size_t at = hash & mask;
    while (slots_[at].number != none && !(slots_[at].hash == hash && same(slots_[at].number))) {
      at = (at + 1) & mask;
    }
    return slots_[at];
  }
  void grow() {
    std::vector<Slot> before(slots_.size() * 2);
    before.swap(slots_);
    for (const Slot& slot : before) {
      if (slot.number != none) find(slot.hash, [](uint32_t) { return false; }) = slot;
    }
  }

  std::vector<Slot> slots_;
  size_t size_ = 0;
};

}  // namespace kr
