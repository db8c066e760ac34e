// Hashes, all by xxHash (XXH3).
#pragma once

#include <cstdint>
#include <string_view>

namespace kr {

/// For tables in memory: the same in every run, without a guard against chosen collisions.
uint64_t hash_bytes(std::string_view bytes) noexcept;

/// Of numbers that a file has. Differs from run to run, so that no file can be made whose numbers
/// all have one hash; nothing that is shown may depend on it.
uint64_t hash_numbers(uint64_t a, uint64_t b = 0) noexcept;

struct NumberHash {
  size_t operator()(int64_t number) const noexcept {
    return hash_numbers(static_cast<uint64_t>(number));
  }
};

/// 128 bits that identify bytes, or what is added piece by piece: equal for equal ones in
/// every run, and for different ones different but for odds too small to count. No protection
/// against malice.
struct Hash128 {
  uint64_t high = 0;
  uint64_t low = 0;

  void add(uint64_t value) noexcept { add(Hash128{0, value}); }
  void add(const Hash128& more) noexcept;
  friend auto operator<=>(const Hash128&, const Hash128&) = default;
};
Hash128 hash128(std::string_view bytes) noexcept;

}  // namespace kr

template <>
struct std::hash<kr::Hash128> {
  size_t operator()(const kr::Hash128& hash) const noexcept { return hash.low; }
};
