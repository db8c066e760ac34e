// Sets of bytes.
#pragma once

#include <array>
#include <unordered_set>

#include "base/ascii.hpp"
#include "regex/regex.hpp"

namespace kr::regex {

ByteSet single(unsigned char byte);
ByteSet range(unsigned char first, unsigned char last);
/// The meaning of `\d`, `\D`, `\w`, `\W`, `\s` or `\S`: only ASCII; `\s` includes the vertical tab.
ByteSet escaped_set(char letter);
/// The set with both cases of each of its ASCII letters.
ByteSet folded(ByteSet set);

/// A partition of all bytes: two bytes are in one part if they are in the same sets.
struct BytePartition {
  std::array<uint32_t, 256> part{};  // by byte
  uint32_t parts = 1;
};
BytePartition partition_bytes(const std::unordered_set<ByteSet>& sets);

inline bool is_word(unsigned char byte) noexcept {
  return is_identifier_byte(static_cast<char>(byte));
}

}  // namespace kr::regex
