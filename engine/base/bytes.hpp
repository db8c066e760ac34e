// Numbers and texts in a row of bytes: what serialized databases and .krdb files are made of.
// Numbers are 64 bits, the lowest byte first; a text is its size and its bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kr {

class ByteWriter {
 public:
  void number(uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(value >> shift & 0xff);
  }
  void text(std::string_view text) {
    number(text.size());
    bytes_ += text;
  }
  std::string take() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads never go beyond the end: they give nothing instead, and so do all that follow.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  std::optional<uint64_t> number() {
    if (bytes_.size() < 8) return fail();
    uint64_t value = 0;
    for (size_t i = 8; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes_[i]);
    bytes_.remove_prefix(8);
    return value;
  }
  std::optional<std::string_view> text() {
    const auto size = number();
    if (!size || *size > bytes_.size()) {
      fail();
      return std::nullopt;
    }
    const std::string_view text = bytes_.substr(0, *size);
    bytes_.remove_prefix(*size);
    return text;
  }
  size_t left() const noexcept { return bytes_.size(); }

 private:
  std::nullopt_t fail() {
    bytes_ = {};
    return std::nullopt;
  }
  std::string_view bytes_;
};

/// A hash of 128 bits: tells files apart and finds damage, no protection against malice.
struct Hash128 {
  uint64_t high = 0;
  uint64_t low = 0;
  friend bool operator==(const Hash128&, const Hash128&) = default;
};
Hash128 hash128(std::string_view bytes) noexcept;

}  // namespace kr
