// How module trees are shown to people where they do not choose: on a terminal, page or picture.
#pragma once

#include "trees/view.hpp"

namespace kr::trees {

inline constexpr uint64_t default_top_k = 12;
inline constexpr size_t default_width = 50;

inline ViewOptions view_for_people() {
  ViewOptions view;
  view.level = named_level("module");
  view.by_phase = true;
  view.merge_siblings = true;
  view.top_k = default_top_k;
  view.limit_others = true;
  view.unique_names = true;
  view.abbreviate = true;
  view.short_names = true;
  view.width = default_width;
  return view;
}

}  // namespace kr::trees
