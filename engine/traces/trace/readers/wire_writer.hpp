// Messages of protobuf, field by field: what wire.hpp reads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kr::trace {

inline void append_varint(std::string& to, uint64_t value) {
  for (; value >= 0x80; value >>= 7) to += static_cast<char>((value & 0x7f) | 0x80);
  to += static_cast<char>(value);
}
inline void append_number(std::string& to, uint32_t field, int64_t value) {
  append_varint(to, uint64_t{field} << 3);
  append_varint(to, static_cast<uint64_t>(value));
}
inline void append_bytes(std::string& to, uint32_t field, std::string_view bytes) {
  append_varint(to, uint64_t{field} << 3 | 2);
  append_varint(to, bytes.size());
  to += bytes;
}

}  // namespace kr::trace
