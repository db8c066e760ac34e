#include "base/bytes.hpp"

#include <cstring>

namespace kr {
namespace {

/// Spreads every bit of the value over all of them; one to one.
uint64_t mixed(uint64_t value) noexcept {
  value ^= value >> 31;
  value *= 0x9fb21c651e98df25U;
  value ^= value >> 29;
  value *= 0xd6e8feb86659fd93U;
  return value ^ value >> 32;
}

}  // namespace

// Two lanes, each a chain of one-to-one steps over the words of the text: a single changed word
// changes both for certain.
Hash128 hash128(std::string_view bytes) noexcept {
  uint64_t a = 0x243f6a8885a308d3U;
  uint64_t b = 0x13198a2e03707344U;
  const auto take = [&](uint64_t word) {
    a = mixed(a ^ word);
    b = mixed(b + word) ^ (b << 17 | b >> 47);
  };
  size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, 8);
    take(word);
  }
  uint64_t word = 0;
  if (at < bytes.size()) std::memcpy(&word, bytes.data() + at, bytes.size() - at);
  take(word);
  take(bytes.size());
  return {mixed(a), mixed(b)};
}

}  // namespace kr
