// The level at which module trees are shown.
//
// A level is a cut through every tree: each leaf is below exactly one shown node, or is one. So the
// times shown add up to the step's at any level.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/module_trace.hpp"

namespace kr::trees {

struct Level {
  enum class Kind : uint8_t {
    kernel,  // leaves
    module,  // the parents of leaves; a leaf whose siblings have children as itself
    layer,   // the repeating nodes nearest the root; outside them, the nodes nearest the root
    depth,   // nodes at this distance from their root, and leaves that are nearer
  };
  Kind kind = Kind::module;
  uint32_t depth = 0;

  friend bool operator==(const Level&, const Level&) = default;
};

/// `kernel`, `module`, `layer`, a number from 0, or -1 and -2 for kernel and module. Throws Error
/// if it is none of these.
Level named_level(std::string_view text);
std::string to_string(Level level);

/// Cuts forests. `folded` (by path) marks nodes that are shown without their children: the cut
/// never goes below them. `several` (by path) marks nodes that represent several siblings. Both
/// must outlive this.
class Cutter {
 public:
  Cutter(const trace::ModuleTrace& trace, Level level, const std::vector<bool>& folded,
         const std::vector<bool>& several)
      : trace_(&trace), level_(level), folded_(&folded), several_(&several) {}

  /// The places of the nodes shown, ascending. `shown` is overwritten.
  void cut(std::span<const trace::ModuleNode> nodes, std::vector<uint32_t>& shown);
  /// Whether the last forest had layers.
  bool found_layers() const noexcept { return found_layers_; }

 private:
  void mark_layers(std::span<const trace::ModuleNode> nodes);
  bool stops_at(std::span<const trace::ModuleNode> nodes, uint32_t node) const;

  const trace::ModuleTrace* trace_;
  Level level_;
  const std::vector<bool>* folded_;
  const std::vector<bool>* several_;
  std::vector<uint32_t> heights_;  // by node: to its farthest leaf
  std::vector<bool> repeats_;      // by node: is a layer
  std::vector<bool> has_layer_;    // by node: is a layer or has one below
  bool found_layers_ = false;
};

/// The cut of vLLM's own plotting: folded nodes become leaves; then nodes whose height is exactly 0
/// (kernel) or 1 (module), and roots of at most that height. It has no other level and no `(self)`.
/// `lost_ns` is increased by the time of the leaves that it drops.
void cut_like_vllm(const trace::ModuleTrace& trace, std::span<const trace::ModuleNode> nodes,
                   Level level, const std::vector<bool>& folded, std::vector<uint32_t>& shown,
                   int64_t& lost_ns);

/// A name without its number: `LlamaDecoderLayer_7`, `layers.7` and `layer 7` are
/// `LlamaDecoderLayer`, `layers` and `layer`.
struct NumberedName {
  std::string_view stem;
  std::optional<int64_t> number;
};
NumberedName numbered(std::string_view name);

}  // namespace kr::trees
