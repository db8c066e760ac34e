#include "trace/module_paths.hpp"

#include "base/hash.hpp"

namespace kr::trace {
namespace {

constexpr size_t first_path_slots = 1024;

uint64_t hash_of(PathId parent, NameId name, uint32_t ordinal) {
  return hash_numbers(uint64_t{parent.index} << 32 | name.index, ordinal);
}

}  // namespace

PathTable::PathTable() : slots_(first_path_slots) {}

PathId PathTable::add(PathId parent, NameId name, uint32_t ordinal) {
  const size_t mask = slots_.size() - 1;
  size_t slot = hash_of(parent, name, ordinal) & mask;
  for (; slots_[slot].valid(); slot = (slot + 1) & mask) {
    const Path& known = paths_[slots_[slot].index];
    if (known.parent == parent && known.name == name && known.ordinal == ordinal) {
      return slots_[slot];
    }
  }
  const PathId id{static_cast<uint32_t>(paths_.size())};
  paths_.push_back({parent, name, ordinal, parent.valid() ? depth(parent) + 1 : 0});
  slots_[slot] = id;
  if (paths_.size() * 2 > slots_.size()) grow();
  return id;
}

void PathTable::grow() {
  slots_.assign(slots_.size() * 2, {});
  const size_t mask = slots_.size() - 1;
  for (uint32_t i = 0; i < paths_.size(); ++i) {
    const Path& path = paths_[i];
    size_t slot = hash_of(path.parent, path.name, path.ordinal) & mask;
    while (slots_[slot].valid()) slot = (slot + 1) & mask;
    slots_[slot] = {i};
  }
}

}  // namespace kr::trace
