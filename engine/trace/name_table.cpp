#include <algorithm>

#include "trace/hash.hpp"
#include "trace/trace.hpp"

namespace kr::trace {
namespace {

constexpr size_t first_name_slots = 256;
constexpr size_t block_size = size_t{1} << 16;

}  // namespace

NameTable::NameTable() : slots_(first_name_slots) {}

NameId NameTable::add(std::string_view text, OperationKind kind) {
  const uint64_t hash = hash_bytes(text) + static_cast<uint64_t>(kind);
  const size_t mask = slots_.size() - 1;
  size_t at = hash & mask;
  while (slots_[at].id.valid()) {
    if (slots_[at].hash == hash) {
      const OperationName& known = names_.get(slots_[at].id);
      if (known.kind == kind && known.text == text) return slots_[at].id;
    }
    at = (at + 1) & mask;
  }
  const NameId id = names_.add({store(text), kind});
  slots_[at] = {hash, id};
  if (names_.size() * 2 > slots_.size()) grow();
  return id;
}

std::pair<uint32_t, bool> NameTable::number(std::string_view text) {
  const size_t known = names_.size();
  const NameId id = add(text, OperationKind::kernel);
  return {id.index, id.index == known};
}

void NameTable::grow() {
  std::vector<Slot> grown(slots_.size() * 2);
  const size_t mask = grown.size() - 1;
  for (const Slot& slot : slots_) {
    if (!slot.id.valid()) continue;
    size_t at = slot.hash & mask;
    while (grown[at].id.valid()) at = (at + 1) & mask;
    grown[at] = slot;
  }
  slots_ = std::move(grown);
}

std::string_view NameTable::store(std::string_view text) {
  if (text.empty()) return {};
  if (blocks_.empty() || left_ < text.size()) {
    // The first block is small: most traces have few names.
    left_ = std::max(text.size(), blocks_.empty() ? size_t{4096} : block_size);
    blocks_.emplace_back(left_);
  }
  std::vector<char>& block = blocks_.back();
  char* to = block.data() + (block.size() - left_);
  std::copy(text.begin(), text.end(), to);
  left_ -= text.size();
  return {to, text.size()};
}

}  // namespace kr::trace
