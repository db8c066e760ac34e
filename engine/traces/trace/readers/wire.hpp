// The wire format of protobuf messages (https://protobuf.dev/programming-guides/encoding), without
// a schema: fields as they come, of any number.
//
//     WireReader message(bytes);
//     for (WireField field; message.next(field);) {
//       switch (field.number) {
//         case 1: name = field.bytes; break;
//       }
//     }
//     if (message.broken()) ...
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace kr::trace {

struct WireField {
  enum class Type : uint8_t { varint = 0, eight_bytes = 1, bytes = 2, four_bytes = 5 };

  uint32_t number = 0;
  Type type = Type::varint;
  uint64_t value = 0;      // of a varint, and the bits of what has eight or four bytes
  std::string_view bytes;  // of `bytes` alone: a text, a message, or packed numbers

  int64_t integer() const noexcept { return static_cast<int64_t>(value); }
  /// Of a number of type `double`.
  double real() const noexcept { return std::bit_cast<double>(value); }
};

class WireReader {
 public:
  explicit WireReader(std::string_view message) noexcept
      : at_(message.data()), end_(message.data() + message.size()) {}

  /// False at the end, and where what follows is no field: then `broken` says so.
  [[gnu::always_inline]] bool next(WireField& field) noexcept {
    if (at_ == end_) return false;
    uint64_t tag = 0;
    if (!varint(tag) || tag >> 3 == 0 || tag >> 3 > max_number) return fail();
    field.number = static_cast<uint32_t>(tag >> 3);
    field.type = static_cast<WireField::Type>(tag & 7);
    switch (field.type) {
      case WireField::Type::varint:
        return varint(field.value) || fail();
      case WireField::Type::eight_bytes:
        return fixed<uint64_t>(field.value) || fail();
      case WireField::Type::four_bytes:
        return fixed<uint32_t>(field.value) || fail();
      case WireField::Type::bytes: {
        uint64_t size = 0;
        if (!varint(size) || size > left()) return fail();
        field.bytes = {at_, static_cast<size_t>(size)};
        at_ += size;
        return true;
      }
    }
    return fail();  // groups, which nobody writes any more, and what is no type
  }
  bool broken() const noexcept { return broken_; }
  /// The next of packed numbers, each a varint. False at the end, and where it is cut off.
  bool packed(uint64_t& value) noexcept { return at_ != end_ && (varint(value) || fail()); }
  /// Of packed numbers of eight bytes.
  bool packed_fixed(uint64_t& value) noexcept {
    return at_ != end_ && (fixed<uint64_t>(value) || fail());
  }
  size_t left() const noexcept { return static_cast<size_t>(end_ - at_); }

  /// Of a field.
  static constexpr uint64_t max_number = (uint64_t{1} << 29) - 1;

 private:
  [[gnu::always_inline]] bool varint(uint64_t& value) noexcept {
    if (at_ != end_ && static_cast<unsigned char>(*at_) < 0x80) {
      value = static_cast<unsigned char>(*at_++);
      return true;
    }
    return long_varint(value);
  }
  // At most ten bytes; bits behind the 64th are lost, as in all decoders.
  [[gnu::noinline]] bool long_varint(uint64_t& value) noexcept {
    if (end_ - at_ >= 2 && static_cast<unsigned char>(at_[1]) < 0x80) {
      value = (static_cast<unsigned char>(at_[0]) & 0x7fU) |
              uint64_t{static_cast<unsigned char>(at_[1])} << 7;
      at_ += 2;
      return true;
    }
    value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      if (at_ == end_) return false;
      const auto byte = static_cast<unsigned char>(*at_++);
      if (shift < 64) value |= uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }
  template <class Number>
  bool fixed(uint64_t& value) noexcept {
    if (left() < sizeof(Number)) return false;
    Number bits = 0;
    std::memcpy(&bits, at_, sizeof bits);  // little-endian, as all machines that kr runs on
    at_ += sizeof bits;
    value = bits;
    return true;
  }
  [[gnu::noinline]] bool fail() noexcept {
    broken_ = true;
    at_ = end_;
    return false;
  }

  const char* at_;
  const char* end_;
  bool broken_ = false;
};

}  // namespace kr::trace
