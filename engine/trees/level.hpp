// How deep module trees are shown.
//
// A level is a cut through every tree: each leaf stands below exactly one node that is shown, or is
// one, so the times shown add up to the step's whatever the level.
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
    module,  // the nodes right above leaves; a leaf beside taller nodes as itself
    layer,   // the repeating nodes nearest the root; what is outside them as high up as can be
    depth,   // nodes so far from their root, and leaves nearer
  };
  Kind kind = Kind::module;
  uint32_t depth = 0;

  friend bool operator==(const Level&, const Level&) = default;
};

/// `kernel`, `module`, `layer`, a number from 0, or -1 and -2 for kernel and module. None: no
/// level.
std::optional<Level> level_from(std::string_view text);
/// The same, as a user gave it. Throws Error where it is none.
Level named_level(std::string_view text);
std::string to_string(Level level);

/// Cuts forests. `folded` tells by path which nodes stand for all below them: where the cut would
/// go below one, it is shown itself. It has to outlive this.
class Cutter {
 public:
  Cutter(const trace::ModuleTrace& trace, Level level, const std::vector<bool>& folded);

  /// The places of the nodes shown, rising. Both are overwritten.
  void cut(std::span<const trace::ModuleNode> nodes, std::vector<uint32_t>& shown);
  /// Whether the last forest had layers.
  bool found_layers() const noexcept { return found_layers_; }

 private:
  void measure(std::span<const trace::ModuleNode> nodes);
  void mark_layers(std::span<const trace::ModuleNode> nodes);
  bool stops_at(std::span<const trace::ModuleNode> nodes, uint32_t node) const;

  const trace::ModuleTrace* trace_;
  Level level_;
  const std::vector<bool>* folded_;
  std::vector<uint32_t> heights_;  // by node: to its farthest leaf
  std::vector<bool> repeats_;      // by node: is a layer
  std::vector<bool> holds_layer_;  // by node: is one or has one below
  bool found_layers_ = false;
};

/// What vLLM's own plotting keeps: folded nodes made leaves, then nodes whose height is exactly 0
/// (kernel) or 1 (module), and roots that are no taller; it knows no other level, and no `(self)`.
/// `lost_ns` is increased by the time of the leaves that it drops.
void cut_like_vllm(const trace::ModuleTrace& trace, std::span<const trace::ModuleNode> nodes,
                   Level level, const std::vector<bool>& folded, std::vector<uint32_t>& shown,
                   int64_t& lost_ns);

/// A name without what numbers it among its like: `LlamaDecoderLayer_7`, `layers.7` and `layer 7`
/// are `LlamaDecoderLayer`, `layers` and `layer`. The number is none where there is none.
struct NumberedName {
  std::string_view stem;
  std::optional<int64_t> number;
};
NumberedName numbered(std::string_view name);

}  // namespace kr::trees
