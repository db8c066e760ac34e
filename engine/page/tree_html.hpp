// tree.html: module trees to click through, in one file that needs no other file.
#pragma once

#include <cstddef>
#include <string>

#include "trees/view.hpp"

namespace kr::page {

/// The largest sizes of parts of a page, so that it opens quickly: some 20 MB in all. Above them
/// the smallest entries, the deepest nodes or some of the steps are omitted, and the page says so.
/// Sums over all steps are always of all of them.
struct TreePageLimits {
  size_t entries = 40;            // then `others`
  size_t phases = 16;             // then one for the rest
  size_t bar_cells = 400'000;     // bars times entries
  size_t tree_values = 800'000;   // times in the trees of single steps
  size_t path_cells = 300'000;    // places in the trees times phases
  size_t text_bytes = 3'000'000;  // of names and labels
};

/// The bars of all steps of the view in the colours of its pictures, the complete trees of as many
/// steps as fit (every k-th of a phase and its last), and those of each phase together.
std::string to_tree_html(const sema::Program& program, const trees::TreeView& view,
                         const trees::TreeRun& run, trees::Metric metric,
                         const TreePageLimits& limits = {});

}  // namespace kr::page
