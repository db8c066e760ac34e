// Numbers and texts in a row of bytes: what serialized databases and .krdb files are made of.
// Numbers are 64 bits, the lowest byte first; a text is its size and its bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/hash.hpp"

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
  void hash(const Hash128& hash) {
    number(hash.high);
    number(hash.low);
  }
  /// A text behind its hash, so that damage is found.
  void checked(std::string_view body) {
    hash(hash128(body));
    text(body);
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
  std::optional<Hash128> hash() {
    const auto high = number();
    const auto low = number();
    return low ? std::optional(Hash128{*high, *low}) : std::nullopt;
  }
  /// Nothing where the hash is another's, or something follows.
  std::optional<std::string_view> checked() {
    const auto sum = hash();
    const auto body = text();
    return body && left() == 0 && hash128(*body) == sum ? body : std::nullopt;
  }
  size_t left() const noexcept { return bytes_.size(); }

 private:
  std::nullopt_t fail() {
    bytes_ = {};
    return std::nullopt;
  }
  std::string_view bytes_;
};

}  // namespace kr
