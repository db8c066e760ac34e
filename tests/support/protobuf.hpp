// Protobuf messages for tests, field by field.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace kr::test {

class Protobuf {
 public:
  Protobuf& number(uint32_t field, uint64_t value) {
    return varint(uint64_t{field} << 3).varint(value);
  }
  Protobuf& text(uint32_t field, std::string_view value) {
    varint(uint64_t{field} << 3 | 2).varint(value.size());
    bytes_ += value;
    return *this;
  }
  Protobuf& message(uint32_t field, const Protobuf& value) { return text(field, value.bytes_); }
  Protobuf& real(uint32_t field, double value) {
    return fixed(field, std::bit_cast<uint64_t>(value));
  }
  Protobuf& fixed(uint32_t field, uint64_t value) {
    varint(uint64_t{field} << 3 | 1);
    for (int i = 0; i < 8; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
    return *this;
  }
  const std::string& bytes() const noexcept { return bytes_; }

 private:
  Protobuf& varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7f) | 0x80);
    bytes_ += static_cast<char>(value);
    return *this;
  }

  std::string bytes_;
};

}  // namespace kr::test
