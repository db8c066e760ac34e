#include "trace/readers/event_windows.hpp"

#include <algorithm>
#include <bit>

#include "trace/readers/csv_scan.hpp"
#include "trace/readers/json_scan.hpp"

#if defined(__SSE2__) && defined(__GNUC__)
#include <immintrin.h>
// What is inlined into a function for newer processors is compiled for these.
#define KR_INTO_CALLER __attribute__((always_inline)) inline
#define KR_AVX2
#else
#define KR_INTO_CALLER inline
#endif

namespace kr::trace {
namespace {

// Bit i is set where an odd number of bits up to and with i are.
uint64_t parity_up_to(uint64_t bits) noexcept {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

}  // namespace

// Bytes behind a backslash that is not itself behind one: in each run of backslashes every second.
KR_INTO_CALLER uint64_t ListScan::escaped(uint64_t backslashes) noexcept {
  uint64_t found = first_escaped_;
  first_escaped_ = 0;
  backslashes &= ~found;
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

// `parity`: of the quotes that are not escaped.
KR_INTO_CALLER void ListScan::follow(uint64_t parity, uint64_t opened, uint64_t closed) noexcept {
  const uint64_t strings = parity ^ in_string_;
  in_string_ = strings >> 63 != 0 ? ~uint64_t{0} : 0;
  opened &= ~strings;
  closed &= ~strings;
  const auto down = static_cast<uint64_t>(std::popcount(closed));
  if (depth_ > down) {
    depth_ += static_cast<uint64_t>(std::popcount(opened)) - down;
  } else {
    walk(opened, closed);
    if (list_ended_) return;
  }
  scanned_ += step;
}

void ListScan::scan(const char* bytes, size_t steps) noexcept {
#ifdef KR_AVX2
  static const bool newer = __builtin_cpu_supports("avx2") != 0 &&
                            __builtin_cpu_supports("pclmul") != 0 &&
                            __builtin_cpu_supports("popcnt") != 0;
  if (newer) return scan_avx2(bytes, steps);
#endif
  for (; steps != 0 && !list_ended_; --steps, bytes += step) {
    const Bytes64 all(bytes);
    follow(parity_up_to(all.where('"') & ~escaped(all.where('\\'))),
           all.where('{') | all.where('['), all.where('}') | all.where(']'));
  }
}

#ifdef KR_AVX2
// `[` and `{` differ in one bit, 0x20, and so do `]` and `}`.
__attribute__((target("avx2,pclmul,popcnt"))) void ListScan::scan_avx2(const char* bytes,
                                                                       size_t steps) noexcept {
  const __m256i quote = _mm256_set1_epi8('"'), backslash = _mm256_set1_epi8('\\');
  const __m256i open = _mm256_set1_epi8('{'), close = _mm256_set1_epi8('}');
  const __m256i bit = _mm256_set1_epi8(0x20);
  for (; steps != 0 && !list_ended_; --steps) {
    uint64_t found[4] = {};
    for (int i = 0; i < 64; i += 32, bytes += 32) {
      const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
      const __m256i folded = _mm256_or_si256(all, bit);
      const __m256i same[4] = {_mm256_cmpeq_epi8(all, quote), _mm256_cmpeq_epi8(all, backslash),
                               _mm256_cmpeq_epi8(folded, open), _mm256_cmpeq_epi8(folded, close)};
      for (int k = 0; k < 4; ++k) {
        found[k] |= uint64_t{static_cast<uint32_t>(_mm256_movemask_epi8(same[k]))} << i;
      }
    }
    // A product without carries with all ones is the parity.
    const uint64_t quotes = found[0] & ~escaped(found[1]);
    const __m128i parity =
        _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<int64_t>(quotes)), _mm_set1_epi8(-1), 0);
    follow(static_cast<uint64_t>(_mm_cvtsi128_si64(parity)), found[2], found[3]);
  }
}

#endif

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

static_assert(scan_padding >= json_padding && scan_padding >= ListScan::step);

EventWindows::EventWindows(Input& input, std::string_view rest, uint64_t offset)
    : input_(&input), rest_(rest), offset_(offset) {}

bool EventWindows::next(TextBlock& window) {
  if (done_) return false;
  window.assign(rest_);
  window.offset = offset_;
  size_t room = std::max(input_->options().block_size, rest_.size());
  while (true) {
    ended_ = window.fill(*input_, room);
    // The padding is scanned too where nothing else follows.
    const std::string_view text = window.text();
    const size_t scanned = std::min(static_cast<size_t>(scan_.scanned() - base_), text.size());
    const size_t left = text.size() - scanned + (ended_ ? ListScan::step - 1 : 0);
    scan_.scan(text.data() + (scan_.scanned() - base_), left / ListScan::step);
    if (scan_.list_ended()) {
      done_ = true;
      return cut(window, scan_.scanned());
    }
    if (ended_) done_ = true;
    if (ended_ || scan_.last_item_end() > base_) {
      return cut(window, std::max(scan_.last_item_end(), base_));
    }
    if (room >= longest_item) {
      done_ = too_long_ = true;
      return cut(window, base_);
    }
    room *= 2;
  }
}

// `end` counts in what was scanned.
bool EventWindows::cut(TextBlock& window, uint64_t end) {
  const auto size = static_cast<size_t>(end - base_);
  rest_.assign(window.text().substr(size));
  window.shrink(size);
  base_ = end;
  offset_ += size;
  return size != 0;
}

}  // namespace kr::trace
