#include "base/hash.hpp"

// All of xxHash is in its header, so that libkr needs no further library.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <random>

namespace kr {
namespace {

uint64_t seed_of_run() noexcept {
  static const uint64_t seed = [] {
    std::random_device device;
    return uint64_t{device()} << 32 | device();
  }();
  return seed;
}

}  // namespace

uint64_t hash_bytes(std::string_view bytes) noexcept {
  return XXH3_64bits(bytes.data(), bytes.size());
}

uint64_t hash_numbers(uint64_t a, uint64_t b) noexcept {
  const std::array<uint64_t, 2> numbers{a, b};
  return XXH3_64bits_withSeed(numbers.data(), sizeof numbers, seed_of_run());
}

void Hash128::add(const Hash128& more) noexcept {
  const std::array<uint64_t, 4> numbers{high, low, more.high, more.low};
  const XXH128_hash_t hash = XXH3_128bits(numbers.data(), sizeof numbers);
  *this = {hash.high64, hash.low64};
}

Hash128 hash128(std::string_view bytes) noexcept {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

}  // namespace kr
