// Whether a text has one of a few bytes, 16 bytes at a time: names are long, and every row has one.
#pragma once

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <cstdint>
#include <string_view>

namespace kr {

/// One of `bytes`, or a byte that is less than `least` as a signed number.
template <int8_t least, char... bytes>
bool has_byte(std::string_view text) noexcept {
  const auto is_one = [](char c) {
    return static_cast<int8_t>(c) < least || ((c == bytes) || ...);
  };
#ifdef __SSE2__
  constexpr size_t width = sizeof(__m128i);
  if (text.size() >= width) {
    const auto found_at = [&](size_t at) {
      const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
      __m128i found = _mm_cmplt_epi8(block, _mm_set1_epi8(least));
      ((found = _mm_or_si128(found, _mm_cmpeq_epi8(block, _mm_set1_epi8(bytes)))), ...);
      return found;
    };
    __m128i found = found_at(text.size() - width);
    for (size_t at = 0; at + width < text.size(); at += width) {
      found = _mm_or_si128(found, found_at(at));
    }
    return _mm_movemask_epi8(found) != 0;
  }
#endif
  bool has = false;
  for (const char c : text) has |= is_one(c);
  return has;
}

}  // namespace kr
