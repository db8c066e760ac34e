// Looking for the few bytes that mean something, 64 at a time (SSE2 where there is, plain C++
// elsewhere).
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace kr::trace {

/// Readable bytes that have to follow every text that is scanned: `marks` loads whole vectors.
inline constexpr size_t scan_padding = 64;

/// The places of bytes among 64: one bit per byte.
#ifdef __SSE2__
class Bytes64 {
 public:
  explicit Bytes64(const char* at) noexcept {
    for (size_t i = 0; i < 4; ++i) {
      vectors_[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 16 * i));
    }
  }
  uint64_t where(char wanted) const noexcept {
    const __m128i all = _mm_set1_epi8(wanted);
    uint64_t mask = 0;
    for (size_t i = 0; i < 4; ++i) {
      const int bits = _mm_movemask_epi8(_mm_cmpeq_epi8(vectors_[i], all));
      mask |= uint64_t{static_cast<uint32_t>(bits)} << (16 * i);
    }
    return mask;
  }

 private:
  __m128i vectors_[4];
};
#else
class Bytes64 {
 public:
  explicit Bytes64(const char* at) noexcept : at_(at) {}
  uint64_t where(char wanted) const noexcept {
    uint64_t mask = 0;
    for (unsigned i = 0; i < 64; ++i) mask |= uint64_t{at_[i] == wanted} << i;
    return mask;
  }

 private:
  const char* at_;
};
#endif

/// Where, in 64 bytes, a comma or the end of a plain cell is.
struct Marks {
  uint64_t commas;
  uint64_t others;  // quotes and newlines
};

inline Marks marks(const char* at) noexcept {
  const Bytes64 bytes(at);
  return {bytes.where(','), bytes.where('"') | bytes.where('\n')};
}

/// The first `wanted` in [at, end), or `end`.
inline const char* find(const char* at, const char* end, char wanted) noexcept {
  if (at >= end) return end;
  const void* found = std::memchr(at, wanted, static_cast<size_t>(end - at));
  return found != nullptr ? static_cast<const char*>(found) : end;
}

/// The first comma, quote or newline in [at, end), or `end`.
inline const char* plain_cell_end(const char* at, const char* end) noexcept {
  for (; at < end; at += 64) {
    const Marks here = marks(at);
    const uint64_t any = here.commas | here.others;
    if (any != 0) {
      const char* found = at + std::countr_zero(any);
      return found < end ? found : end;
    }
  }
  return end;
}

/// How often a byte occurs in a text.
uint64_t count_byte(std::string_view text, char wanted) noexcept;
inline uint64_t line_breaks(std::string_view text) noexcept {
  return count_byte(text, '\n');
}

/// Bytes of `text` that are whole rows, where it begins with a row: up to the last newline that
/// is outside quotes. 0 where there is none.
size_t whole_rows(std::string_view text) noexcept;

}  // namespace kr::trace
