// Values, each stored once and numbered: lists of them are compared and indexed by number. Texts
// are in DistinctTexts, which owns their bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.hpp"
#include "base/hash_index.hpp"

namespace kr {

/// `Hash` and `==` take a `T`, and what else `add` is given to make one of.
template <class T, class Hash>
class Interned {
 public:
  /// The value's number: from 0, in the order first met.
  template <class Value = T>
  uint32_t add(const Value& value) {
    const auto next = static_cast<uint32_t>(values_.size());
    const uint32_t number = index_.find_or_add(
        Hash{}(value), next, [&](uint32_t known) { return values_[known] == value; });
    if (number == next) values_.emplace_back(value);
    return number;
  }
  const T& operator[](uint32_t number) const noexcept { return values_[number]; }
  const std::vector<T>& values() const noexcept { return values_; }
  size_t size() const noexcept { return values_.size(); }

 private:
  std::vector<T> values_;
  HashIndex index_;
};

/// Of lists of numbers.
struct NumbersHash {
  uint64_t operator()(std::span<const uint32_t> list) const noexcept {
    uint64_t hash = list.size();
    for (const uint32_t one : list) hash = hash_numbers(hash, one);
    return hash;
  }
};

}  // namespace kr
