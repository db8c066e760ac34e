// The forest of one step while it is made from the operations of a trace.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/distinct_texts.hpp"
#include "base/hash.hpp"
#include "base/hash_index.hpp"
#include "trace/module_trace.hpp"

namespace kr::trees {

/// The forest of one step, to which operations are added.
class Forest {
 public:
  static constexpr uint32_t no_node = UINT32_MAX;

  /// The child with that name, created if needed. `parent` no_node: a root. `name`: in the texts
  /// that `write` is given; so is its class, if it has one.
  uint32_t child(uint32_t parent, uint32_t name, uint32_t module_class = no_node) {
    const auto next = static_cast<uint32_t>(nodes_.size());
    const uint64_t hash = hash_numbers(parent, name);
    const uint32_t number = children_.find_or_add(hash, next, [&](uint32_t known) {
      return nodes_[known].parent == parent && nodes_[known].name == name;
    });
    if (number != next) return number;
    nodes_.push_back({name, module_class, parent, no_node, no_node, no_node, no_node, 0, 0});
    uint32_t& first = parent == no_node ? first_root_ : nodes_[parent].first;
    uint32_t& last = parent == no_node ? last_root_ : nodes_[parent].last;
    (first == no_node ? first : nodes_[last].next) = number;
    last = number;
    return number;
  }
  /// `call` identifies one use of a node. Each use counts once, in any order of its operations.
  void use(uint32_t node, uint32_t call) {
    if (nodes_[node].last_call == call) return;
    nodes_[node].last_call = call;
    if (uses_.size() >= max_uses_) remove_duplicates();
    uses_.push_back(uint64_t{node} << 32 | call);
  }
  /// The same of a call that was captured into a graph, and of one launch of the graph.
  void replay(uint32_t node, uint32_t call, uint32_t launch) {
    if (replays_.size() >= max_replays_) remove_duplicate_replays();
    replays_.push_back({node, call, launch});
  }
  /// Counts one more call of the node, which no other use is.
  void count(uint32_t node) { ++nodes_[node].calls; }
  /// Adds an operation to the node, and its time to all nodes above it.
  void operation(uint32_t node, int64_t ns) {
    nodes_[node].total_ns += ns;
    ++nodes_[node].calls;
  }

  void write(const DistinctTexts& names, trace::ModuleTraceBuilder& builder) {
    remove_duplicates();
    for (const uint64_t use : uses_) ++nodes_[use >> 32].calls;
    uses_.clear();
    remove_duplicate_replays();
    for (const Replay& replay : replays_) ++nodes_[replay[0]].calls;
    replays_.clear();
    // Parents come before their children.
    for (size_t i = nodes_.size(); i-- > 0;) {
      if (nodes_[i].parent != no_node) nodes_[nodes_[i].parent].total_ns += nodes_[i].total_ns;
    }
    std::vector<uint32_t> open;
    for (uint32_t at = first_root_; at != no_node;) {
      const Node& node = nodes_[at];
      builder.open(names.text(node.name), 0);
      if (node.module_class != no_node) builder.class_of_open(names.text(node.module_class));
      builder.measured(node.total_ns, node.calls);
      if (node.first != no_node) {
        open.push_back(at);
        at = node.first;
        continue;
      }
      builder.close();
      at = node.next;
      while (at == no_node && !open.empty()) {
        builder.close();
        at = nodes_[open.back()].next;
        open.pop_back();
      }
    }
  }

 private:
  struct Node {
    uint32_t name;
    uint32_t module_class;
    uint32_t parent;
    uint32_t first;  // child
    uint32_t last;
    uint32_t next;  // sibling
    uint32_t last_call;
    int64_t total_ns;
    int64_t calls;
  };
  /// Removes duplicate uses. Runs again when the list has doubled.
  void remove_duplicates() {
    std::sort(uses_.begin(), uses_.end());
    uses_.erase(std::unique(uses_.begin(), uses_.end()), uses_.end());
    max_uses_ = std::max<size_t>(1024, 2 * uses_.size());
  }

  void remove_duplicate_replays() {
    std::sort(replays_.begin(), replays_.end());
    replays_.erase(std::unique(replays_.begin(), replays_.end()), replays_.end());
    max_replays_ = std::max<size_t>(1024, 2 * replays_.size());
  }

  HashIndex children_;  // in `nodes_`
  std::vector<Node> nodes_;
  std::vector<uint64_t> uses_;  // node and call
  size_t max_uses_ = 0;
  using Replay = std::array<uint32_t, 3>;  // node, call and launch
  std::vector<Replay> replays_;
  size_t max_replays_ = 1024;
  uint32_t first_root_ = no_node;
  uint32_t last_root_ = no_node;
};

}  // namespace kr::trees
