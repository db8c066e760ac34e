// A hash of 128 bits that is the same in every run. Collisions are so unlikely that they are
// ignored.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>

namespace kr::prove {

struct Digest {
  uint64_t first = 0x243f6a8885a308d3U;
  uint64_t second = 0x13198a2e03707344U;

  friend bool operator==(const Digest&, const Digest&) = default;

  void add(uint64_t value) {
    first = mixed(first ^ (value * 0x9e3779b97f4a7c15U));
    second = mixed(std::rotl(second, 23) + (value ^ 0xa4093822299f31d0U) * 0xc2b2ae3d27d4eb4fU);
  }
  void add(const Digest& other) {
    add(other.first);
    add(other.second);
  }
  void add(std::string_view text) {
    add(text.size());
    for (; !text.empty(); text.remove_prefix(std::min<size_t>(text.size(), 8))) {
      uint64_t bytes = 0;
      std::memcpy(&bytes, text.data(), std::min<size_t>(text.size(), 8));
      add(bytes);
    }
  }

 private:
  /// Bijective; each bit of the result depends on all bits.
  static uint64_t mixed(uint64_t value) {
    value = (value ^ (value >> 33)) * 0xff51afd7ed558ccdU;
    value = (value ^ (value >> 33)) * 0xc4ceb9fe1a85ec53U;
    return value ^ (value >> 33);
  }
};

}  // namespace kr::prove

template <>
struct std::hash<kr::prove::Digest> {
  size_t operator()(const kr::prove::Digest& digest) const noexcept { return digest.first; }
};
