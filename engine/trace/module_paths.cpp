#include "trace/module_paths.hpp"

#include "base/hash.hpp"

namespace kr::trace {

PathId PathTable::add(PathId parent, NameId name, uint32_t ordinal) {
  const uint64_t hash = hash_numbers(uint64_t{parent.index} << 32 | name.index, ordinal);
  const auto next = static_cast<uint32_t>(paths_.size());
  const uint32_t number = index_.find_or_add(hash, next, [&](uint32_t known) {
    const Path& path = paths_[known];
    return path.parent == parent && path.name == name && path.ordinal == ordinal;
  });
  if (number == next) {
    paths_.push_back({parent, name, ordinal, parent.valid() ? depth(parent) + 1 : 0});
  }
  return {number};
}

}  // namespace kr::trace
