// Places in module trees, each held once: a node is told by its parent's place, its name, and
// which of its parent's children of that name it is. The same place in two steps is one path.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash_index.hpp"
#include "base/id.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

struct PathTag;
using PathId = Id<PathTag>;

class PathTable {
 public:
  /// The path of a child; `parent` is invalid for a root. `ordinal` counts children of one name
  /// from 1.
  PathId add(PathId parent, NameId name, uint32_t ordinal);

  PathId parent(PathId path) const { return at(path).parent; }  // invalid: a root
  NameId name(PathId path) const { return at(path).name; }
  uint32_t ordinal(PathId path) const { return at(path).ordinal; }
  /// 0 for a root.
  uint32_t depth(PathId path) const { return at(path).depth; }
  size_t size() const noexcept { return paths_.size(); }

 private:
  struct Path {
    PathId parent;
    NameId name;
    uint32_t ordinal;
    uint32_t depth;
  };
  const Path& at(PathId path) const {
    KR_CHECK(path.index < paths_.size());
    return paths_[path.index];
  }
  std::vector<Path> paths_;  // a parent stands before its children
  HashIndex index_;
};

}  // namespace kr::trace
