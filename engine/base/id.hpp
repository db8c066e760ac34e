// Strong ids and the stores they index. An Id is a place in one Store; ids of different stores do
// not mix, and an Id that was never set says so.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "base/check.hpp"

namespace kr {

template <class Tag>
struct Id {
  static constexpr uint32_t none = std::numeric_limits<uint32_t>::max();
  uint32_t index = none;

  constexpr bool valid() const noexcept { return index != none; }
  friend constexpr auto operator<=>(Id, Id) noexcept = default;
};

/// A growing list whose elements are named by Id<Tag>. References live until the next `add`.
template <class T, class Tag>
class Store {
 public:
  Id<Tag> add(T value) {
    items_.push_back(std::move(value));
    return {static_cast<uint32_t>(items_.size() - 1)};
  }
  T& get(Id<Tag> id) {
    KR_CHECK(id.index < items_.size());
    return items_[id.index];
  }
  const T& get(Id<Tag> id) const {
    KR_CHECK(id.index < items_.size());
    return items_[id.index];
  }
  size_t size() const noexcept { return items_.size(); }
  bool empty() const noexcept { return items_.empty(); }
  auto begin() const noexcept { return items_.begin(); }
  auto end() const noexcept { return items_.end(); }
  auto begin() noexcept { return items_.begin(); }
  auto end() noexcept { return items_.end(); }

 private:
  std::vector<T> items_;
};

}  // namespace kr

template <class Tag>
struct std::hash<kr::Id<Tag>> {
  size_t operator()(kr::Id<Tag> id) const noexcept { return std::hash<uint32_t>{}(id.index); }
};
