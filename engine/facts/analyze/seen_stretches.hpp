// Equal stretches of kernels, counted by a hash of each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/hash.hpp"

namespace kr::analyze {

/// For one name after the other: `clear` costs what was seen. Most stretches equal the one before.
class SeenStretches {
 public:
  struct Seen {
    uint64_t hash = 0;
    uint32_t kernels = 0;
    uint32_t count = 0;
  };

  void clear() {
    for (const size_t at : used_) slots_[at] = none;
    used_.clear();
    seen_.clear();
  }
  void add(uint64_t hash, uint32_t kernels) {
    if (!seen_.empty() && seen_[last_].hash == hash) {
      ++seen_[last_].count;
      return;
    }
    if ((seen_.size() + 1) * 2 > slots_.size()) grow();
    const size_t at = slot(hash);
    if (slots_[at] == none) {
      slots_[at] = static_cast<uint32_t>(seen_.size());
      used_.push_back(at);
      seen_.push_back({hash, kernels, 0});
    }
    last_ = slots_[at];
    ++seen_[last_].count;
  }
  /// In the order first met.
  const std::vector<Seen>& all() const { return seen_; }

 private:
  static constexpr uint32_t none = UINT32_MAX;

  /// That of the hash, or a free one.
  size_t slot(uint64_t hash) const {
    const size_t mask = slots_.size() - 1;
    size_t at = hash_numbers(hash, 1) & mask;
    while (slots_[at] != none && seen_[slots_[at]].hash != hash) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    slots_.assign(std::max<size_t>(64, slots_.size() * 2), none);
    for (uint32_t i = 0; i < seen_.size(); ++i) {
      used_[i] = slot(seen_[i].hash);
      slots_[used_[i]] = i;
    }
  }

  std::vector<Seen> seen_;
  std::vector<uint32_t> slots_;  // in `seen_`; a power of two
  std::vector<size_t> used_;     // of `slots_`, by place in `seen_`
  size_t last_ = 0;
};

}  // namespace kr::analyze
