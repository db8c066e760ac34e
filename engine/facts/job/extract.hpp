// The operations of a run that communicate, as the analysis of its job needs them.
#pragma once

#include <vector>

#include "analyze/run.hpp"
#include "job/member.hpp"

namespace kr::job {

/// One for each device that communicates, by device. The dimension `kind` decides what does; what
/// it is, trace::Trace::collectives, else its name. The order of launches needs
/// trace::Trace::host. `overlap_of`: the sums of the devices of the run, to have Member::overlap
/// and Member::exchanges; null: without them.
std::vector<Member> members_of(const match::CompiledRules& rules, const analyze::LabelledTrace& run,
                               const std::vector<analyze::DeviceSum>* overlap_of = nullptr);

}  // namespace kr::job
