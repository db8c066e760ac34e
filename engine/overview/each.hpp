// `kr classify --each --format csv`: one row per operation, written as it goes, so that a trace of
// any size needs no more memory than the trace itself.
#pragma once

#include <functional>
#include <string_view>

#include "analyze/run.hpp"

namespace kr::overview {

/// The columns of `kr classify` (instances is 1), then
/// `operation_kind,start_ns,duration_ns,device,stream`. `write` gets pieces of some 64 KiB.
void classify_each_csv(const match::CompiledRules& rules, const analyze::LabelledTrace& run,
                       const std::function<void(std::string_view)>& write);

}  // namespace kr::overview
