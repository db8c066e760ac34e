#include "align/lcs.hpp"

#include <algorithm>
#include <bit>

namespace kr::align {
namespace {

/// A zero bit stands where the length grows. `from` and `to` may be the same.
void next_row(const uint64_t* places, size_t words, const uint64_t* from, uint64_t* to) {
  if (places == nullptr) {
    if (from != to) std::copy(from, from + words, to);
    return;
  }
  uint64_t carry = 0;
  for (size_t w = 0; w < words; ++w) {
    const uint64_t old = from[w];
    const uint64_t met = old & places[w];
    uint64_t sum = 0;
    const bool first = __builtin_add_overflow(old, met, &sum);
    const bool second = __builtin_add_overflow(sum, carry, &sum);
    carry = first || second ? 1 : 0;
    to[w] = sum | (old & ~places[w]);
  }
}

/// Zero bits among the first `count`.
uint32_t zeros(const uint64_t* row, size_t count) {
  uint32_t total = 0;
  for (size_t w = 0; w < count / 64; ++w) total += static_cast<uint32_t>(std::popcount(~row[w]));
  if (count % 64 != 0) {
    const uint64_t mask = (uint64_t{1} << count % 64) - 1;
    total += static_cast<uint32_t>(std::popcount(~row[count / 64] & mask));
  }
  return total;
}

}  // namespace

NamePlaces::NamePlaces(Names names)
    : size_(names.size()), words_((names.size() + 63) / 64), distinct_(names.begin(), names.end()) {
  std::sort(distinct_.begin(), distinct_.end());
  distinct_.erase(std::unique(distinct_.begin(), distinct_.end()), distinct_.end());
  bits_.resize(distinct_.size() * words_);
  for (size_t j = 0; j < names.size(); ++j) {
    const auto at = std::lower_bound(distinct_.begin(), distinct_.end(), names[j]);
    const size_t bit = names.size() - 1 - j;
    bits_[static_cast<size_t>(at - distinct_.begin()) * words_ + bit / 64] |= uint64_t{1}
                                                                              << (bit % 64);
  }
}

const uint64_t* NamePlaces::find(uint32_t name) const {
  const auto at = std::lower_bound(distinct_.begin(), distinct_.end(), name);
  if (at == distinct_.end() || *at != name) return nullptr;
  return bits_.data() + static_cast<size_t>(at - distinct_.begin()) * words_;
}

size_t lcs_length(Names a, const NamePlaces& b) {
  std::vector<uint64_t> row(b.words(), ~uint64_t{0});
  for (size_t i = a.size(); i-- > 0;) next_row(b.find(a[i]), b.words(), row.data(), row.data());
  return zeros(row.data(), b.size());
}

LcsRest::LcsRest(Names a, const NamePlaces& b)
    : size_(b.size()),
      words_(b.words()),
      rows_count_(a.size()),
      rows_((a.size() + 1) * b.words(), ~uint64_t{0}) {
  for (size_t i = a.size(); i-- > 0;) {
    uint64_t* const to = rows_.data() + (rows_count_ - i) * words_;
    next_row(b.find(a[i]), words_, to - words_, to);
  }
}

uint32_t LcsRest::at(size_t i, size_t j) const {
  return zeros(row(i), size_ - j);
}

}  // namespace kr::align
