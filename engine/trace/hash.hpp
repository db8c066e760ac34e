// A fast hash of bytes for tables in memory: 128-bit products folded into 64 bits. Not kept in
// files. Bytes have no guard against chosen collisions; numbers have.
#pragma once

#include <cstdint>
#include <cstring>
#include <random>
#include <string_view>

namespace kr::trace {

inline uint64_t fold_multiply(uint64_t a, uint64_t b) noexcept {
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{a} * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

inline uint64_t hash_bytes(std::string_view text) noexcept {
  constexpr uint64_t first = 0x9e3779b97f4a7c15, second = 0xd6e8feb86659fd93;
  const auto load = [](const char* from) {
    uint64_t word = 0;
    std::memcpy(&word, from, sizeof word);
    return word;
  };
  const char* at = text.data();
  size_t left = text.size();
  uint64_t hash = left * first;
  if (left < 16) {
    char padded[16] = {};
    if (left != 0) std::memcpy(padded, at, left);
    return fold_multiply(load(padded) ^ hash, load(padded + 8) ^ second);
  }
  for (; left > 16; at += 16, left -= 16) {
    hash = fold_multiply(load(at) ^ hash, load(at + 8) ^ second);
  }
  const char* tail = at + left - 16;  // overlaps what was read
  return fold_multiply(load(tail) ^ hash, load(tail + 8) ^ first);
}

/// Differs from run to run, so that no file can be made whose numbers all have one hash.
inline uint64_t hash_seed() noexcept {
  static const uint64_t seed = [] {
    std::random_device device;
    return uint64_t{device()} << 32 | device();
  }();
  return seed;
}

/// Of a number and something more. A product would be 0 for all numbers where the other is.
inline uint64_t hash_number(int64_t number, uint64_t more = 0) noexcept {
  const uint64_t seed = hash_seed();
  return fold_multiply(static_cast<uint64_t>(number) ^ seed, 0x9e3779b97f4a7c15) ^
         fold_multiply(more ^ seed, 0xd6e8feb86659fd93);
}

/// For tables by numbers of a file, whose order is never shown.
struct NumberHash {
  size_t operator()(int64_t number) const noexcept { return hash_number(number); }
};

}  // namespace kr::trace
