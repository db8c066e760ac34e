// Operations by how their place in the model is known.
#pragma once

#include "classify/attribution.hpp"
#include "facts/fact.hpp"

namespace kr::analyze {

struct Evidence {
  static constexpr facts::Reads reads = facts::Reads::host;
  static facts::Computed<Evidence> compute(const facts::Input& run);
  void saved(facts::Fields& io, const RunSummary& run);

  classify::AttributionSums sums;
};

}  // namespace kr::analyze
