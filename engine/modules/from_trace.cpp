#include "modules/from_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/hash.hpp"

namespace kr {
namespace {

constexpr uint32_t none = Attribution::none;

/// The forest of one step while operations are added to it.
class Forest {
 public:
  /// The child of that name, made where it is not there; `parent` none: a root.
  uint32_t child(uint32_t parent, std::string_view name) {
    auto [at, added] =
        children_.try_emplace({parent, std::string(name)}, static_cast<uint32_t>(nodes_.size()));
    if (!added) return at->second;
    nodes_.push_back({at->first.name, none, none, none, 0, 0, none});
    uint32_t& first = parent == none ? first_root_ : nodes_[parent].first;
    uint32_t& last = parent == none ? last_root_ : nodes_[parent].last;
    (first == none ? first : nodes_[last].next) = at->second;
    last = at->second;
    return at->second;
  }
  /// Adds to a node. `call` tells one use of it from the next; each counts once, in whatever order
  /// its operations come. None: a use of its own.
  void count(uint32_t node, int64_t ns, uint32_t call) {
    nodes_[node].total_ns += ns;
    if (call == none) {
      ++nodes_[node].calls;
    } else if (nodes_[node].last_call != call) {
      nodes_[node].last_call = call;
      if (uses_.size() >= most_uses_) settle();
      uses_.push_back(uint64_t{node} << 32 | call);
    }
  }

  void give(ModuleTraceBuilder& builder) {
    settle();
    for (const uint64_t use : uses_) ++nodes_[use >> 32].calls;
    uses_.clear();
    std::vector<uint32_t> open;
    for (uint32_t at = first_root_; at != none;) {
      const Node& node = nodes_[at];
      builder.open(node.name, 0);
      builder.measured(node.total_ns, node.calls);
      if (node.first != none) {
        open.push_back(at);
        at = node.first;
        continue;
      }
      builder.close();
      at = node.next;
      while (at == none && !open.empty()) {
        builder.close();
        at = nodes_[open.back()].next;
        open.pop_back();
      }
    }
  }

 private:
  struct Key {
    uint32_t parent;
    std::string name;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const noexcept {
      return fold_multiply(hash_bytes(key.name), key.parent + 0x9e3779b97f4a7c15);
    }
  };
  struct Node {
    std::string_view name;  // owned by children_
    uint32_t first;         // child
    uint32_t last;
    uint32_t next;  // sibling
    int64_t total_ns;
    int64_t calls;
    uint32_t last_call;
  };
  /// Leaves each use once. What is kept at most doubles before the next time.
  void settle() {
    std::sort(uses_.begin(), uses_.end());
    uses_.erase(std::unique(uses_.begin(), uses_.end()), uses_.end());
    most_uses_ = std::max<size_t>(1024, 2 * uses_.size());
  }

  std::unordered_map<Key, uint32_t, Hash> children_;
  std::vector<Node> nodes_;
  std::vector<uint64_t> uses_;  // node and call
  size_t most_uses_ = 0;
  uint32_t first_root_ = none;
  uint32_t last_root_ = none;
};

class Builder {
 public:
  Builder(const Trace& trace, const Attribution& attribution)
      : trace_(trace),
        attribution_(attribution),
        forests_(attribution.steps.size() + 1),
        layer_names_(longest(attribution)) {
    for (size_t i = 0; i < layer_names_.size(); ++i) layer_names_[i] = fmt::format("layer {}", i);
  }

  ModuleTrace build() {
    for (size_t i = 0; i < trace_.operations.size(); ++i) add(i);
    ModuleTraceBuilder builder(trace_.source, trace_.format);
    for (size_t i = 0; i < attribution_.steps.size(); ++i) {
      builder.begin_step(attribution_.steps[i].text);
      forests_[i].give(builder);
      builder.end_step();
    }
    if (outside_ || attribution_.steps.empty()) {
      builder.begin_step(attribution_.steps.empty() ? "trace" : "(outside steps)");
      forests_.back().give(builder);
      builder.end_step();
    }
    for (const Loss& loss : trace_.losses) builder.loss(loss.what, loss.first_offset, loss.count);
    for (const std::string& warning : trace_.warnings) builder.warn(warning);
    if (!trace_.operations.empty() && !names_places()) {
      builder.warn(
          "The trace names no modules, and no layers were found: kernels stand by themselves.");
    }
    builder.model_text(trace_.model_text);
    return std::move(builder).finish();
  }

 private:
  /// Whether there is anything for kernels to stand below.
  bool names_places() const {
    if (!attribution_.layer_runs.empty()) return true;
    if (!trace_.host) return false;
    const GrowingArray<HostRange>& ranges = trace_.host->ranges;
    return std::any_of(ranges.begin(), ranges.end(), [](const HostRange& range) {
      return range.kind == HostRange::Kind::module;
    });
  }

  static size_t longest(const Attribution& attribution) {
    size_t most = 0;
    for (const LayerRun& run : attribution.layer_runs)
      most = std::max(most, run.layers_before + run.repeats);
    return most;
  }

  void add(size_t i) {
    const Operation& operation = trace_.operations[i];
    const uint32_t step = attribution_.step_of[i];
    outside_ |= step == none;
    Forest& forest = step == none ? forests_.back() : forests_[step];
    uint32_t node = none;
    if (attribution_.module_of[i] != none) {
      const HostSide& host = *trace_.host;
      for (const uint32_t range : host.modules_of(*host.launch(i))) {
        node = forest.child(node, host.range_names[host.ranges[range].name]);
        forest.count(node, operation.duration_ns, range);
      }
    }
    // Modules say more of layers than sequences do, where a launch is in the module of one kernel.
    const uint32_t layer = attribution_.layer_of[i];
    const size_t run = layer == none ? 0 : attribution_.run_of(layer);
    if (layer != none && (node == none || attribution_.layer_runs[run].graph)) {
      node = forest.child(node, layer_names_[attribution_.in_unit(layer)]);
      forest.count(node, operation.duration_ns, static_cast<uint32_t>(run));
    }
    node = forest.child(node, trace_.names.get(operation.name).text);
    forest.count(node, operation.duration_ns, none);
  }

  const Trace& trace_;
  const Attribution& attribution_;
  std::vector<Forest> forests_;  // by step, and what is in none
  std::vector<std::string> layer_names_;
  bool outside_ = false;
};

}  // namespace

ModuleTrace modules_of(const Trace& trace, const Attribution& attribution) {
  return Builder(trace, attribution).build();
}

}  // namespace kr
