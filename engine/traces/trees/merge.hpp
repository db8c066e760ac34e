// Siblings of one kind as one node, and several steps as one tree.
//
// `Linear_0` and `Linear_1` below one parent are one node `Linear`, and what is below them is
// merged in the same way: by the path from the merged node. Times and calls are sums, so a merged
// tree adds up to the same time at every level.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/module_trace.hpp"

namespace kr::trees {

/// The sum; at most the largest number.
int64_t bounded_sum(int64_t a, int64_t b);

/// The nodes of a trace that are one node of a merged tree: how many, and their times.
struct Siblings {
  uint64_t count = 0;
  int64_t min_ns = 0;
  int64_t max_ns = 0;
  double median_ns = 0;  // of an even count, the mean of the two in the middle
  trace::PathId least;   // of the trace; of equal times the first
  trace::PathId most;
};

class TreeMerger {
 public:
  /// The trace must outlive it. `kinds` has a number for each path of the trace: only nodes with
  /// equal numbers are merged. Without `siblings` nodes stay apart.
  ///
  /// Siblings are merged if their names are equal, or if they have children and their names are
  /// equal but for the number at the end (see `numbered`). Below merged nodes, a name that begins
  /// with its parent's (`layers.3.mlp` below `layers.3`) is compared without it.
  TreeMerger(const trace::ModuleTrace& trace, std::span<const uint32_t> kinds, bool siblings);

  /// Adds the tree of these steps of the trace to `merged`, and returns its number there. A node
  /// that has children in some of them and not in others gets a child `(self)`.
  size_t add(std::span<const size_t> steps, std::string key);

  /// The merged trees: names, paths, steps. It has nothing else of the trace.
  const trace::ModuleTrace& merged() const noexcept { return merged_; }
  /// After the last `add`.
  void finish() { merged_ = std::move(builder_).finish(); }
  /// By path of the trace.
  trace::PathId merged_of(trace::PathId path) const { return merged_of_[path.index]; }
  /// Whether several children of one parent of the trace are this path of `merged`.
  bool several(trace::PathId merged) const { return several_[merged.index]; }
  /// How many nodes of the trace each node of a tree represents, in the order of its nodes.
  std::span<const uint32_t> counts(size_t tree) const { return tree_counts_[counts_of_[tree]]; }

  /// By path of `merged`: the nodes of the trace in these steps, their times summed over the steps.
  std::vector<Siblings> siblings(std::span<const size_t> steps) const;
  /// The numbers of a node of the trace and of those above it that are merged with siblings,
  /// outermost first: `3`, or `3.7`. Siblings that have one name are numbered by their order, `#2`.
  /// Empty if there are none.
  std::string number_text(trace::PathId path) const;

 private:
  struct Sum {
    int64_t own_ns = 0;  // of nodes without children
    int64_t calls = 0;
    uint32_t count = 0;
    bool occurs = false;
    bool has_children = false;
  };
  struct Children {
    uint32_t first = none;
    uint32_t next = none;  // of its parent
  };
  static constexpr uint32_t none = UINT32_MAX;

  void choose_paths(std::span<const uint32_t> kinds, bool siblings);
  void add_up(std::span<const size_t> steps);
  void add_own_times();
  int64_t write_nodes();
  Sum& sum_of(trace::PathId merged);

  const trace::ModuleTrace* trace_;
  trace::ModuleTraceBuilder builder_;
  trace::ModuleTrace merged_;
  std::vector<trace::PathId> merged_of_;  // by path of the trace
  std::vector<bool> renamed_;             // by path of `merged_`: its nodes have different names
  std::vector<bool> several_;             // by path of `merged_`: several of them have one parent
  // Of the tree that is being added.
  std::vector<Sum> sums_;                 // by path of `merged_`
  std::vector<trace::PathId> occurring_;  // of `merged_`, in the order first met
  std::vector<uint64_t> seen_;            // by path of the trace: the last tree that has it
  std::vector<trace::ModuleNode> nodes_;
  std::vector<uint32_t> node_counts_;
  // Most single steps of one shape have the same counts.
  std::vector<std::vector<uint32_t>> tree_counts_;
  std::vector<uint32_t> counts_of_;  // by tree
  std::unordered_map<uint32_t, uint32_t> counts_of_shape_;
};

}  // namespace kr::trees
