// Ids by their values in the rows of a table: small numbers by place, others by search.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/hash.hpp"

namespace kr::trace {

template <class Id>
class IdMemory {
 public:
  /// Not valid: there is none.
  Id find(int64_t number) const {
    if (number >= 0 && number < static_cast<int64_t>(small_.size())) {
      return small_[static_cast<size_t>(number)];
    }
    const auto known = large_.find(number);
    return known == large_.end() ? Id{} : known->second;
  }
  void add(int64_t number, Id id) {
    constexpr int64_t max_small = int64_t{1} << 20;
    if (number < 0 || number >= max_small) {
      large_.emplace(number, id);
      return;
    }
    const auto place = static_cast<size_t>(number);
    // What was found by search before the places reached this far stays to be found.
    if (place >= small_.size()) small_.resize(std::max(place + 1, small_.size() * 2));
    small_[place] = id;
  }

 private:
  std::vector<Id> small_;
  std::unordered_map<int64_t, Id, NumberHash> large_;
};

}  // namespace kr::trace
