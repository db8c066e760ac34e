// The colours of what is shown of module trees.
#pragma once

#include <string>
#include <vector>

#include "trees/view.hpp"

namespace kr::picture {

/// `#rrggbb` by entry. Labels have the colours of reports; nodes get theirs by rank, each unlike
/// the labels' and unlike those ranked before it as long as there are such; `others` is grey.
std::vector<std::string> tree_colors(const sema::Program& program, const trees::TreeView& view);

}  // namespace kr::picture
