// Numbers of 7 bits per byte, the lowest first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace kr::timeline {

inline size_t varint_size(uint64_t value) noexcept {
  size_t bytes = 1;
  for (; value >= 0x80; value >>= 7) ++bytes;
  return bytes;
}

inline void append_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7f) | 0x80);
  out += static_cast<char>(value);
}

}  // namespace kr::timeline
