// Sets of bytes that patterns name.
#pragma once

#include <array>
#include <unordered_set>

#include "base/ascii.hpp"
#include "regex/regex.hpp"

namespace kr::regex {

ByteSet single(unsigned char byte);
ByteSet range(unsigned char first, unsigned char last);
/// What `\d`, `\D`, `\w`, `\W`, `\s` or `\S` stands for: ASCII alone, `\s` with the vertical tab.
ByteSet escaped_set(char letter);
/// With both cases of every ASCII letter in it.
ByteSet folded(ByteSet set);

/// The bytes in parts: two are of one part when they are in the same sets.
struct BytePartition {
  std::array<uint32_t, 256> part{};  // by byte
  uint32_t parts = 1;
};
BytePartition partition_bytes(const std::unordered_set<ByteSet>& sets);

inline bool is_word(unsigned char byte) noexcept {
  return is_identifier_byte(static_cast<char>(byte));
}

}  // namespace kr::regex
