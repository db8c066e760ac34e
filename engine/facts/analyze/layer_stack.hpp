// The layers in a stretch of kernels, counted by names: of a stack of L layers, most names occur L
// times, in turn.
//
// The number of layers is a count (3 or more) that three names or more share, and that explains
// most kernels: their names occur that often or a multiple of it, within a tenth. Of counts that
// explain nearly as much (8 of 10 kernels), it is the largest. It has to explain half of the stack.
// The names of this count have to follow each other in one order, layer after layer, at 95 of 100
// places; the kernels between them may differ: layers that alternate, or a first layer of its own,
// are counted, too. Shuffled kernels have no order, and no layers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace kr::analyze {

struct LayerStack {
  size_t first = 0;     // the place of the first kernel of a name that occurs once per layer
  size_t last = 0;      // behind the last one
  uint32_t layers = 0;  // 0: a graph that was traced as one operation
  uint32_t names = 0;   // that occur once per layer
  /// Stacks one after the other with names of their own, each of `layers` layers: in training, the
  /// forward and the backward pass.
  uint32_t parts = 1;
  /// A layer in which nothing is missing and three kernels or more are added: a step ends and the
  /// next begins inside the stack.
  bool has_joint = false;

  friend bool operator==(const LayerStack&, const LayerStack&) = default;
};

/// Within a tenth: a draft may add a layer or two to those of decode.
inline bool nearly_equal(uint32_t layers, uint32_t usual) noexcept {
  return std::max(layers, usual) - std::min(layers, usual) <= usual / 10;
}

/// For many stretches of one sequence.
class LayerCounter {
 public:
  /// Names are smaller than `names`.
  explicit LayerCounter(size_t names);

  /// Nothing if there are no layers. Places count from the start of the stretch. Time: proportional
  /// to the kernels, and n log n of their distinct names.
  std::optional<LayerStack> find(std::span<const uint32_t> kernels);

 private:
  struct Seen {
    uint32_t name = 0;
    uint32_t count = 0;
    size_t first = 0;
    size_t last = 0;
  };

  void count(std::span<const uint32_t> kernels);
  std::pair<uint32_t, size_t> count_of_layers() const;
  bool in_turn(std::span<const uint32_t> kernels, std::span<const Seen> names, uint32_t layers);
  bool contains_joint(std::span<const uint32_t> kernels, const LayerStack& stack, uint32_t name);

  std::vector<uint32_t> place_of_;  // by name: in `seen_`, or none
  std::vector<Seen> seen_;
  std::vector<uint8_t> chosen_;  // by name, while one part is examined
  std::vector<uint32_t> order_;
};

}  // namespace kr::analyze
