#include "base/distinct_texts.hpp"

#include <algorithm>

#include "base/hash.hpp"

namespace kr {
namespace {

constexpr size_t text_block_size = size_t{1} << 16;

}  // namespace

uint32_t DistinctTexts::add(std::string_view text) {
  const auto next = static_cast<uint32_t>(texts_.size());
  const uint32_t number = index_.find_or_add(hash_bytes(text), next,
                                             [&](uint32_t known) { return texts_[known] == text; });
  if (number == next) texts_.push_back(store(text));
  return number;
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
