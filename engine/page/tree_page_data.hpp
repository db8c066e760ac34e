// What the page of module trees holds, before it is written: which steps, which places, which sums.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "page/tree_html.hpp"

namespace kr::page {

/// Places of the page stand in the order of the trace's, a parent before its children.
struct TreePageData {
  /// The trees of a phase's steps added up, by place; only places that occur.
  struct Sum {
    std::vector<uint32_t> places;
    std::vector<int64_t> ns;
    std::vector<int64_t> calls;
  };
  /// A forest without its times, in preorder.
  struct Shape {
    std::vector<uint32_t> places;
    std::vector<int64_t> calls;
    std::vector<uint32_t> leaves;  // of the trace's nodes
  };
  struct Tree {
    size_t step = 0;  // of the view
    uint32_t shape = 0;
  };

  std::vector<std::string> phases;
  std::vector<uint32_t> phase_of;    // by step of the view
  std::vector<size_t> bars;          // steps of the view that have a bar
  uint32_t entries = 0;              // of the view's, from the largest; what is beyond is `others`
  bool others = false;               // there is something beyond, or the view has it
  std::vector<trace::PathId> paths;  // by place
  std::vector<int32_t> parents;      // by place; -1: a root
  std::vector<int32_t> entry_of;     // by place, of the page; -1: not shown by the view
  std::vector<Sum> sums;             // by phase
  std::vector<Shape> shapes;
  std::vector<Tree> trees;
  uint64_t tree_interval = 1;  // every so many steps of a phase have a tree
  int64_t deepest = -1;        // of what is held; below it nodes are as leaves
  bool cut_in_depth = false;

  uint32_t page_entry(uint32_t of_view) const { return of_view < entries ? of_view : entries; }
};

TreePageData tree_page_data(const trees::TreeView& view, const TreePageLimits& limits);

}  // namespace kr::page
