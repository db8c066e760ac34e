// Module trees as plain nested values: random ones, what kr should make of them, said slowly, and
// the same given to a ModuleTraceBuilder.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "trace/module_trace.hpp"

namespace kr::test {

struct Tree {
  std::string name;
  int64_t ns = 0;  // as the profiler says it
  int64_t calls = 1;
  std::vector<Tree> children;
};
using Forest = std::vector<Tree>;

/// A node as kr is to hold it: every child counted, own time as `(self)`.
inline int64_t settle(Tree& tree) {
  if (tree.children.empty()) return tree.ns;
  int64_t below = 0;
  for (Tree& child : tree.children) below += settle(child);
  if (tree.ns > below) tree.children.push_back({"(self)", tree.ns - below, 0, {}});
  tree.ns = std::max(tree.ns, below);
  return tree.ns;
}

inline void give(trace::ModuleTraceBuilder& builder, const Tree& tree) {
  builder.open(tree.name, 0);
  builder.measured(tree.ns, tree.calls);
  for (const Tree& child : tree.children) give(builder, child);
  builder.close();
}

inline void give_step(trace::ModuleTraceBuilder& builder, const std::string& key,
                      const Forest& forest) {
  builder.begin_step(key);
  for (const Tree& tree : forest) give(builder, tree);
  builder.end_step();
}

class RandomForests {
 public:
  explicit RandomForests(uint32_t seed) : random_(seed) {}

  size_t below(size_t limit) { return random_() % limit; }
  bool one_in(size_t count) { return below(count) == 0; }

  Forest forest() {
    Forest forest;
    for (size_t count = below(4); count > 0; --count) forest.push_back(tree(0));
    return forest;
  }
  /// The same shape with other times, as one step follows another.
  void change_times(Forest& forest) {
    for (Tree& tree : forest) {
      tree.ns = time();
      change_times(tree.children);
    }
  }

 private:
  int64_t time() {
    const size_t kind = below(10);
    if (kind == 0) return 0;
    if (kind == 1) return static_cast<int64_t>(random_()) * 1000003;
    return static_cast<int64_t>(below(300));
  }
  Tree tree(size_t depth) {
    static const std::vector<std::string> names{
        "A",        "B",           "A_1",  "A_2",  "A <- B", "B #2",   "Sampler",
        "layers.7", "gemm_kernel", "attn", "é 世", "",       "others", "A > B"};
    Tree tree{names[below(names.size())], time(), static_cast<int64_t>(below(4)), {}};
    if (depth < 6 && !one_in(3)) {
      for (size_t count = below(5); count > 0; --count)
        tree.children.push_back(this->tree(depth + 1));
    }
    // Mostly the time says what the children say, as in a real profile.
    if (!tree.children.empty() && !one_in(4)) {
      tree.ns = 0;
      for (const Tree& child : tree.children) tree.ns += child.ns;
    }
    return tree;
  }
  std::mt19937 random_;
};

}  // namespace kr::test
