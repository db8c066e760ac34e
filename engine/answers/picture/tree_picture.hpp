// Pictures of module trees: stacked bars by step, drawn with Cairo.
#pragma once

#include <string>
#include <vector>

#include "trees/view.hpp"

namespace kr::picture {

struct Picture {
  std::string file_stem;  // prefill, decode_steps, other_steps
  std::string png;        // two pixels per unit of length
  std::string svg;        // letters are outlines: it looks the same on every system
};

/// One for the steps of phases that begin with `prefill`, one for those that begin with `decode`,
/// one for all others; those without steps are omitted. The same view gives the same bytes.
/// Throws Error if Cairo cannot draw.
std::vector<Picture> tree_pictures(const sema::Program& program, const trees::TreeView& view,
                                   trees::Metric metric);

}  // namespace kr::picture
