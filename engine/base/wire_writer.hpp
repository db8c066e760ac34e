// Messages of protobuf, field by field.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kr {

inline void append_varint(std::string& to, uint64_t value) {
  for (; value >= 0x80; value >>= 7) to += static_cast<char>((value & 0x7f) | 0x80);
  to += static_cast<char>(value);
}
inline void append_number(std::string& to, uint32_t field, int64_t value) {
  append_varint(to, uint64_t{field} << 3);
  append_varint(to, static_cast<uint64_t>(value));
}
/// Of a number of eight bytes.
inline void append_fixed(std::string& to, uint32_t field, uint64_t value) {
  append_varint(to, uint64_t{field} << 3 | 1);
  for (int byte = 0; byte < 8; ++byte) to += static_cast<char>(value >> (8 * byte) & 0xff);
}
/// A text or a message.
inline void append_bytes(std::string& to, uint32_t field, std::string_view bytes) {
  append_varint(to, uint64_t{field} << 3 | 2);
  append_varint(to, bytes.size());
  to += bytes;
}

}  // namespace kr
