// Values as MessagePack, for tests.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json_read.hpp"

namespace kr::test {

inline std::string big_endian(uint64_t value, size_t bytes) {
  std::string out;
  for (size_t i = bytes; i-- > 0;) out += static_cast<char>(value >> (8 * i) & 0xff);
  return out;
}

/// What begins a text, map or array of so many bytes, members or items: in the shortest form, or,
/// with `wide`, in the longest.
inline std::string msgpack_head(JsonValue::Kind kind, uint64_t size, bool wide = false) {
  const auto head = [&](uint8_t type, size_t bytes) {
    return std::string(1, static_cast<char>(type)) + big_endian(size, bytes);
  };
  if (kind == JsonValue::Kind::string) {
    if (!wide && size < 32) return std::string(1, static_cast<char>(0xa0 | size));
    if (!wide && size < 0x100) return head(0xd9, 1);
    return !wide && size < 0x10000 ? head(0xda, 2) : head(0xdb, 4);
  }
  const bool map = kind == JsonValue::Kind::object;
  if (!wide && size < 16) return std::string(1, static_cast<char>((map ? 0x80 : 0x90) | size));
  if (!wide && size < 0x10000) return head(map ? 0xde : 0xdc, 2);
  return head(map ? 0xdf : 0xdd, 4);
}

inline std::string msgpack_text(std::string_view text, bool wide = false) {
  return msgpack_head(JsonValue::Kind::string, text.size(), wide).append(text);
}

inline std::string msgpack_of(const JsonValue& value, bool wide = false) {
  using Kind = JsonValue::Kind;
  switch (value.kind) {
    case Kind::null:
      return "\xc0";
    case Kind::boolean:
      return value.boolean ? "\xc3" : "\xc2";
    case Kind::integer:
      if (!wide && value.integer >= 0 && value.integer < 128) {
        return std::string(1, static_cast<char>(value.integer));
      }
      return "\xd3" + big_endian(static_cast<uint64_t>(value.integer), 8);
    case Kind::number:
      return "\xcb" + big_endian(std::bit_cast<uint64_t>(value.number), 8);
    case Kind::string:
      return msgpack_text(value.string, wide);
    case Kind::array: {
      std::string out = msgpack_head(value.kind, value.items.size(), wide);
      for (const JsonValue& item : value.items) out += msgpack_of(item, wide);
      return out;
    }
    case Kind::object:
      break;
  }
  std::string out = msgpack_head(value.kind, value.members.size(), wide);
  for (const JsonMember& member : value.members) {
    out += msgpack_text(member.key, wide) + msgpack_of(member.value, wide);
  }
  return out;
}

}  // namespace kr::test
