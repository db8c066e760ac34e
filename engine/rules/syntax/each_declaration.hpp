// All kinds of declarations of a file in one list.
#pragma once

#include <algorithm>

#include "syntax/ast.hpp"

namespace kr::syntax {

/// Calls `visit` with each declaration that rules depend on, kind by kind; each has a `span`. Not
/// with requirements and metadata.
template <typename Visit>
void each_declaration(const File& file, const Visit& visit) {
  std::ranges::for_each(file.uses, visit);
  std::ranges::for_each(file.patterns, visit);
  std::ranges::for_each(file.labels, visit);
  std::ranges::for_each(file.tables, visit);
  std::ranges::for_each(file.costs, visit);
  std::ranges::for_each(file.engines, visit);
  std::ranges::for_each(file.tests, visit);
}

}  // namespace kr::syntax
