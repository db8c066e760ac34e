#include "trace/readers/csv_scan.hpp"

#include <algorithm>

namespace kr::trace {
namespace {

// Counts of bytes in lanes of eight bits, added up before they overflow: compilers make vectors of
// it.
[[gnu::always_inline]] inline uint64_t count_in_lanes(std::string_view text, char wanted) noexcept {
  constexpr size_t lanes = 64;
  uint64_t total = 0;
  const char* at = text.data();
  size_t left = text.size();
  while (left >= lanes) {
    uint8_t counts[lanes] = {};
    const size_t rounds = std::min<size_t>(left / lanes, 255);
    for (size_t round = 0; round < rounds; ++round, at += lanes) {
      for (size_t i = 0; i < lanes; ++i) {
        counts[i] = static_cast<uint8_t>(counts[i] + (at[i] == wanted ? 1 : 0));
      }
    }
    for (const uint8_t count : counts) total += count;
    left -= rounds * lanes;
  }
  return total + static_cast<uint64_t>(std::count(at, at + left, wanted));
}

#ifdef __x86_64__
[[gnu::target("avx2")]] uint64_t count_avx2(std::string_view text, char wanted) noexcept {
  return count_in_lanes(text, wanted);
}
#endif

}  // namespace

uint64_t count_byte(std::string_view text, char wanted) noexcept {
#ifdef __x86_64__
  static const bool newer = __builtin_cpu_supports("avx2") != 0;
  if (newer) return count_avx2(text, wanted);
#endif
  return count_in_lanes(text, wanted);
}

size_t whole_rows(std::string_view text) noexcept {
  bool inside = count_byte(text, '"') % 2 != 0;
  for (size_t at = text.size(); at-- > 0;) {
    if (text[at] == '"') inside = !inside;
    if (text[at] == '\n' && !inside) return at + 1;
  }
  return 0;
}

}  // namespace kr::trace
