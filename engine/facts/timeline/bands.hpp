// The steps and layers of a run over time.
#pragma once

#include <vector>

#include "classify/attribution.hpp"
#include "timeline/timeline.hpp"

namespace kr::timeline {

/// Those of the devices of `timeline`, which gets the names of their phases. Neighbours are
/// joined until `packed_bands` of them has at most `max_bytes`.
std::vector<Band> make_bands(const classify::Attribution& attribution, const trace::Trace& trace,
                             size_t max_bytes, Timeline& timeline);

}  // namespace kr::timeline
