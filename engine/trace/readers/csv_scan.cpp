#include "trace/readers/csv_scan.hpp"

#include <algorithm>

namespace kr::trace {
namespace {

void tally_bytes(const char* at, const char* end, Tally& out) noexcept {
  for (; at < end; ++at) {
    if (*at == '\n') ++out.newlines;
    if (*at == '"') out.odd_quotes = !out.odd_quotes;
  }
}

}  // namespace

#ifdef __SSE2__

Tally tally(std::string_view text) noexcept {
  Tally out;
  const char* at = text.data();
  const char* const end = at + text.size();
  const __m128i newline = _mm_set1_epi8('\n');
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i zero = _mm_setzero_si128();
  // A matching byte is all ones, which is -1 when it is subtracted and flips every bit when it is
  // xor-ed: counts of bytes are gathered before they overflow, parities only at the end.
  __m128i parity = zero;
  while (end - at >= 16) {
    const char* const stop = at + std::min<std::ptrdiff_t>((end - at) / 16, 255) * 16;
    __m128i counts = zero;
    for (; at < stop; at += 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
      counts = _mm_sub_epi8(counts, _mm_cmpeq_epi8(bytes, newline));
      parity = _mm_xor_si128(parity, _mm_cmpeq_epi8(bytes, quote));
    }
    const __m128i sums = _mm_sad_epu8(counts, zero);
    out.newlines += static_cast<uint64_t>(_mm_cvtsi128_si64(sums)) +
                    static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(sums, sums)));
  }
  const auto lanes = static_cast<uint32_t>(_mm_movemask_epi8(parity));
  out.odd_quotes = (static_cast<uint32_t>(std::popcount(lanes)) & 1U) != 0;
  tally_bytes(at, end, out);
  return out;
}

#else

Tally tally(std::string_view text) noexcept {
  Tally out;
  tally_bytes(text.data(), text.data() + text.size(), out);
  return out;
}

#endif

size_t whole_rows(std::string_view text, bool odd_quotes) noexcept {
  bool inside = odd_quotes;
  for (size_t at = text.size(); at-- > 0;) {
    if (text[at] == '"') inside = !inside;
    if (text[at] == '\n' && !inside) return at + 1;
  }
  return 0;
}

}  // namespace kr::trace
