// Kernels that repeat, which may be layers of a model (classify/periods.hpp), by unit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "classify/attribution.hpp"
#include "facts/fact.hpp"

namespace kr::analyze {

struct LayerPart {
  classify::RepeatedBlock block;
  int32_t device = 0;
  double per_layer_mean_ns = 0;
  std::string evidence;
};

struct Layers {
  static constexpr facts::Reads reads = facts::Reads::host;
  static facts::Computed<Layers> compute(const facts::Input& run);
  void saved(facts::Fields& io, const RunSummary& run);

  std::vector<LayerPart> parts;
  int64_t layers = 0;  // repeats of blocks that may be layers of a model
  /// Of a saved run with very many blocks: `parts` is empty.
  bool only_counted = false;

  static constexpr size_t max_saved = 2'000;
};

}  // namespace kr::analyze
