// Collectives below and outside of compute: of one device, in all, by label, layer, phase and step.
//
// A collective is exposed while no compute kernel of its device runs, of whatever step, and
// overlapped the rest of its time. Of several operations, their union counts, so that exposed and
// overlapped time add up to busy time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyze/run.hpp"
#include "job/communications.hpp"

namespace kr::job {

/// By device. Reads the attribution of the run. Throws InternalError if the sums are not those of
/// `devices`.
std::map<int32_t, CollectiveOverlap> measure_overlap(
    const match::CompiledRules& rules, const analyze::LabelledTrace& run,
    const std::vector<analyze::Kind>& kinds, const Communications& communications,
    const std::vector<analyze::DeviceSum>& devices);

}  // namespace kr::job
