// Sets of bytes that patterns name.
#pragma once

#include "regex/regex.hpp"

namespace kr::regex {

ByteSet single(unsigned char byte);
ByteSet range(unsigned char first, unsigned char last);
/// What `\d`, `\D`, `\w`, `\W`, `\s` or `\S` stands for: ASCII alone, `\s` with the vertical tab.
ByteSet escaped_set(char letter);
/// With both cases of every ASCII letter in it.
ByteSet folded(ByteSet set);

inline bool is_word(unsigned char byte) noexcept {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
         (byte >= 'A' && byte <= 'Z') || byte == '_';
}

}  // namespace kr::regex
