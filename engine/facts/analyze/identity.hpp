// What a run is: equal for equal operations under equal rules, whatever its file is called and
// however it is packed.
#pragma once

#include "analyze/run.hpp"

namespace kr::analyze {

RunIdentity identify(const match::CompiledRules& rules, const trace::Trace& trace);

}  // namespace kr::analyze
