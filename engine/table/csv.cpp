#include "table/csv.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace kr::table {
namespace {

bool is_formula(std::string_view text, bool escape) noexcept {
  constexpr std::string_view formula_heads = "=+-@\t\r";
  return escape && !text.empty() && formula_heads.find(text.front()) != std::string_view::npos;
}

bool needs_quotes(std::string_view text) noexcept {
  bool needs = false;
  size_t i = 0;
#ifdef __SSE2__
  // Names are long, and every row has one.
  const __m128i comma = _mm_set1_epi8(','), quote = _mm_set1_epi8('"');
  const __m128i feed = _mm_set1_epi8('\n'), line_return = _mm_set1_epi8('\r');
  __m128i found = _mm_setzero_si128();
  for (; i + sizeof(__m128i) <= text.size(); i += sizeof(__m128i)) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + i));
    found = _mm_or_si128(found,
                         _mm_or_si128(_mm_cmpeq_epi8(bytes, comma), _mm_cmpeq_epi8(bytes, quote)));
    found = _mm_or_si128(
        found, _mm_or_si128(_mm_cmpeq_epi8(bytes, feed), _mm_cmpeq_epi8(bytes, line_return)));
  }
  needs = _mm_movemask_epi8(found) != 0;
#endif
  for (; i < text.size(); ++i) {
    const char c = text[i];
    needs |= (c == ',') | (c == '"') | (c == '\r') | (c == '\n');
  }
  return needs;
}

}  // namespace

bool is_plain_csv(std::string_view text, bool escape) noexcept {
  return !needs_quotes(text) && !is_formula(text, escape);
}

void append_csv_text(std::string& out, std::string_view text, bool escape) {
  const bool quote = needs_quotes(text);
  if (quote) out += '"';
  if (is_formula(text, escape)) out += '\'';
  for (size_t at = 0; at < text.size();) {
    const size_t mark = text.find('"', at);
    if (mark == std::string_view::npos) {
      out += text.substr(at);
      break;
    }
    out += text.substr(at, mark - at);
    out += "\"\"";
    at = mark + 1;
  }
  if (quote) out += '"';
}

}  // namespace kr::table
