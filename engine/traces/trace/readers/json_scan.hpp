// Looking for the ends of spaces, strings and numbers in JSON, 16 bytes at a time (SSE2 where there
// is, plain C++ elsewhere).
//
// Every text that is scanned is followed by json_padding zero bytes: a zero ends all of
// them, so no scan runs beyond them.
#pragma once

#include <bit>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace kr::trace {

inline constexpr uint64_t json_padding = 64;

#ifdef __SSE2__

/// The first byte at or behind `at` that is not a space.
inline const char* past_spaces(const char* at) noexcept {
  const __m128i space = _mm_set1_epi8(' ');
  for (;; at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const int same = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, space));
    if (same != 0xffff) return at + std::countr_one(static_cast<uint32_t>(same));
  }
}

/// The first quote, backslash or control byte at or behind `at`.
inline const char* string_stop(const char* at) noexcept {
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i control = _mm_set1_epi8(0x1f);
  for (;; at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i found =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)),
                     _mm_cmpeq_epi8(_mm_min_epu8(bytes, control), bytes));
    const int mask = _mm_movemask_epi8(found);
    if (mask != 0) return at + std::countr_zero(static_cast<uint32_t>(mask));
  }
}

/// The first byte at or behind `at` that is not a digit.
inline const char* past_digits(const char* at) noexcept {
  const __m128i zero = _mm_set1_epi8('0');
  const __m128i nine = _mm_set1_epi8(9);
  for (;; at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i values = _mm_sub_epi8(bytes, zero);
    const int digits = _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(values, nine), values));
    if (digits != 0xffff) return at + std::countr_one(static_cast<uint32_t>(digits));
  }
}

#else

inline const char* past_spaces(const char* at) noexcept {
  while (*at == ' ') ++at;
  return at;
}

inline const char* string_stop(const char* at) noexcept {
  while (*at != '"' && *at != '\\' && static_cast<unsigned char>(*at) > 0x1f) ++at;
  return at;
}

inline const char* past_digits(const char* at) noexcept {
  while (*at >= '0' && *at <= '9') ++at;
  return at;
}

#endif

}  // namespace kr::trace
