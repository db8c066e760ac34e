// The content of the page of module trees, before it is written: which steps, which places, and
// all sums.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "page/pages.hpp"

namespace kr::page {

/// Places are nodes of the page's trees in the order of the trace's paths, a parent before its
/// children. All comes twice: as it is, and with the siblings merged that the view merges.
struct TreePageData {
  struct Place {
    int32_t parent = -1;     // -1: a root
    std::string_view name;   // of the trace
    std::string_view label;  // empty: no rule gives one
    uint32_t ordinal = 1;
    std::string number;  // of one of several siblings, see TreeMerger::number_text; of `plain`
    int32_t entry = -1;  // of the page; -1: not shown by the view
  };
  /// The nodes of trees, each place once.
  struct Nodes {
    std::vector<uint32_t> places;
    std::vector<int64_t> ns;
    std::vector<int64_t> calls;
    std::vector<int64_t> counts;  // places as they are that are one
  };
  struct Forest {
    std::vector<Place> places;
    std::vector<Nodes> sums;    // of the steps of each phase, then of all
    std::vector<Nodes> shapes;  // in preorder; without times
    /// By shape: of each of its nodes in the trace, the place in `Nodes::places`; -1: none.
    std::vector<std::vector<int32_t>> slots;
  };
  struct Tree {
    size_t step = 0;  // of the view
    uint32_t shape = 0;
  };
  /// What the bars of a phase are made of, over all its steps, shown or not.
  struct EntrySums {
    std::vector<int64_t> ns;  // by entry, then of all
    std::vector<int64_t> calls;
  };

  std::vector<std::string> phases;
  std::vector<uint32_t> phase_of;     // by step of the view
  std::vector<size_t> bars;           // steps of the view that have a bar
  uint32_t entries = 0;               // of the view's, from the largest; what is beyond is `others`
  bool others = false;                // there is something beyond, or the view has it
  std::vector<EntrySums> entry_sums;  // by phase, then of all steps
  std::vector<int64_t> phase_ns;      // of complete steps, also of what the view omits
  Forest plain;
  Forest merged;
  std::vector<uint32_t> merged_of;  // by place of `plain`
  std::vector<Tree> trees;
  uint64_t tree_interval = 1;  // every so many steps of a phase have a tree
  int64_t deepest = -1;        // of what is kept; below it nodes are as leaves
  bool cut_in_depth = false;

  uint32_t page_entry(uint32_t of_view) const { return of_view < entries ? of_view : entries; }
};

TreePageData tree_page_data(const trees::TreeView& view, const TreePageLimits& limits);

}  // namespace kr::page
