#include "trace/readers/list_scan.hpp"

#include <algorithm>
#include <bit>

#if defined(__SSE2__) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace kr {
namespace {

// Without the instruction, which not every processor has.
uint64_t count_bits(uint64_t bits) noexcept {
  constexpr uint64_t twos = 0x5555555555555555, fours = 0x3333333333333333;
  constexpr uint64_t eights = 0x0f0f0f0f0f0f0f0f, ones = 0x0101010101010101;
  bits -= bits >> 1 & twos;
  bits = (bits & fours) + (bits >> 2 & fours);
  return ((bits + (bits >> 4)) & eights) * ones >> 56;
}

// Bit i is set where an odd number of bits up to and with i are.
uint64_t parity_up_to(uint64_t bits) noexcept {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

}  // namespace

// `[` and `{` differ in one bit, 0x20, and so do `]` and `}`.

#if defined(__SSE2__) && defined(__GNUC__)

void ListScan::find_plain(const char* bytes, size_t steps, Marks* out) noexcept {
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
  const __m128i open = _mm_set1_epi8('{'), close = _mm_set1_epi8('}'), bit = _mm_set1_epi8(0x20);
  for (; steps != 0; --steps, ++out) {
    *out = {};
    for (int i = 0; i < 64; i += 16, bytes += 16) {
      const __m128i all = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
      const __m128i folded = _mm_or_si128(all, bit);
      const auto mask = [i](__m128i same) {
        return uint64_t{static_cast<uint32_t>(_mm_movemask_epi8(same))} << i;
      };
      out->quotes |= mask(_mm_cmpeq_epi8(all, quote));
      out->backslashes |= mask(_mm_cmpeq_epi8(all, backslash));
      out->opened |= mask(_mm_cmpeq_epi8(folded, open));
      out->closed |= mask(_mm_cmpeq_epi8(folded, close));
    }
  }
}

__attribute__((target("avx2"))) void ListScan::find_avx2(const char* bytes, size_t steps,
                                                         Marks* out) noexcept {
  const __m256i quote = _mm256_set1_epi8('"'), backslash = _mm256_set1_epi8('\\');
  const __m256i open = _mm256_set1_epi8('{'), close = _mm256_set1_epi8('}');
  const __m256i bit = _mm256_set1_epi8(0x20);
  for (; steps != 0; --steps, ++out) {
    *out = {};
    for (int i = 0; i < 64; i += 32, bytes += 32) {
      const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
      const __m256i folded = _mm256_or_si256(all, bit);
      const __m256i same[4] = {_mm256_cmpeq_epi8(all, quote), _mm256_cmpeq_epi8(all, backslash),
                               _mm256_cmpeq_epi8(folded, open), _mm256_cmpeq_epi8(folded, close)};
      uint64_t masks[4];
      for (int k = 0; k < 4; ++k) {
        masks[k] = uint64_t{static_cast<uint32_t>(_mm256_movemask_epi8(same[k]))} << i;
      }
      out->quotes |= masks[0];
      out->backslashes |= masks[1];
      out->opened |= masks[2];
      out->closed |= masks[3];
    }
  }
}

#else

void ListScan::find_plain(const char* bytes, size_t steps, Marks* out) noexcept {
  for (; steps != 0; --steps, ++out) {
    *out = {};
    for (int i = 0; i < 64; ++i, ++bytes) {
      const uint64_t bit = uint64_t{1} << i;
      if (*bytes == '"') out->quotes |= bit;
      if (*bytes == '\\') out->backslashes |= bit;
      if (*bytes == '{' || *bytes == '[') out->opened |= bit;
      if (*bytes == '}' || *bytes == ']') out->closed |= bit;
    }
  }
}

void ListScan::find_avx2(const char* bytes, size_t steps, Marks* out) noexcept {
  find_plain(bytes, steps, out);
}

#endif

void ListScan::scan(const char* bytes, size_t steps) noexcept {
#if defined(__SSE2__) && defined(__GNUC__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
#else
  constexpr bool has_avx2 = false;
#endif
  Marks marks[batch];
  while (steps != 0 && !list_ended_) {
    const size_t some = std::min(steps, batch);
    if (has_avx2) {
      find_avx2(bytes, some, marks);
    } else {
      find_plain(bytes, some, marks);
    }
    for (size_t i = 0; i < some && !list_ended_; ++i) follow(marks[i]);
    bytes += some * step;
    steps -= some;
  }
}

// Bytes behind a backslash that is not itself behind one: in each run of backslashes every second.
uint64_t ListScan::escaped(uint64_t backslashes) noexcept {
  if (backslashes == 0) {
    const uint64_t only = first_escaped_;
    first_escaped_ = 0;
    return only;
  }
  uint64_t found = first_escaped_;
  backslashes &= ~first_escaped_;
  first_escaped_ = 0;
  while (backslashes != 0) {
    const int at = std::countr_zero(backslashes);
    if (at == 63) {
      first_escaped_ = 1;
      break;
    }
    const uint64_t behind = uint64_t{2} << at;
    found |= behind;
    backslashes &= backslashes - 1;
    backslashes &= ~behind;
  }
  return found;
}

void ListScan::follow(const Marks& marks) noexcept {
  const uint64_t quotes = marks.quotes & ~escaped(marks.backslashes);
  const uint64_t strings = parity_up_to(quotes) ^ in_string_;
  in_string_ = strings >> 63 != 0 ? ~uint64_t{0} : 0;
  const uint64_t opened = marks.opened & ~strings;
  const uint64_t closed = marks.closed & ~strings;
  const uint64_t down = count_bits(closed);
  if (depth_ > down) {
    depth_ += count_bits(opened) - down;
  } else {
    walk(opened, closed);
    if (list_ended_) return;
  }
  scanned_ += step;
}

void ListScan::walk(uint64_t opened, uint64_t closed) noexcept {
  for (uint64_t left = opened | closed; left != 0; left &= left - 1) {
    const auto at = static_cast<uint64_t>(std::countr_zero(left));
    if ((opened >> at & 1) != 0) {
      ++depth_;
    } else if (depth_ == 0) {
      scanned_ += at;
      list_ended_ = true;
      return;
    } else if (--depth_ == 0) {
      last_item_end_ = scanned_ + at + 1;
    }
  }
}

}  // namespace kr
