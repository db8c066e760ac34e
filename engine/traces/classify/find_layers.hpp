// The layers of a model, found in the names of its kernels: what repeats, one after another.
#pragma once

#include "classify/attribution.hpp"

namespace kr::classify {

/// Fills `repeated_blocks` and `layer_of`. `steps` and `step_of` are there.
void find_layers(const trace::Trace& trace, Attribution& out);

}  // namespace kr::classify
