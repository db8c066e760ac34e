#include "base/distinct_texts.hpp"

#include <algorithm>

#include "base/hash.hpp"

namespace kr {
namespace {

constexpr size_t first_text_slots = 256;
constexpr size_t text_block_size = size_t{1} << 16;

}  // namespace

DistinctTexts::DistinctTexts() : slots_(first_text_slots) {}

uint32_t DistinctTexts::add(std::string_view text) {
  const uint64_t hash = hash_bytes(text);
  const size_t mask = slots_.size() - 1;
  size_t at = hash & mask;
  for (; slots_[at].number != Slot().number; at = (at + 1) & mask) {
    const Slot& known = slots_[at];
    if (known.hash == hash && texts_[known.number] == text) return known.number;
  }
  const auto number = static_cast<uint32_t>(texts_.size());
  texts_.push_back(store(text));
  slots_[at] = {hash, number};
  if (texts_.size() * 2 > slots_.size()) grow();
  return number;
}

void DistinctTexts::grow() {
  std::vector<Slot> grown(slots_.size() * 2);
  const size_t mask = grown.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.number == Slot().number) continue;
    size_t at = slot.hash & mask;
    while (grown[at].number != Slot().number) at = (at + 1) & mask;
    grown[at] = slot;
  }
  slots_ = std::move(grown);
}

std::string_view DistinctTexts::store(std::string_view text) {
  if (text.empty()) return {};
  if (left_ < text.size()) {
    // The first block is small: most have few texts.
    left_ = std::max(text.size(), blocks_.empty() ? size_t{4096} : text_block_size);
    blocks_.emplace_back(left_);
  }
  std::vector<char>& block = blocks_.back();
  char* to = block.data() + (block.size() - left_);
  std::copy(text.begin(), text.end(), to);
  left_ -= text.size();
  return {to, text.size()};
}

}  // namespace kr
