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

  std::vector<LayerPart> parts;
};

}  // namespace kr::analyze
