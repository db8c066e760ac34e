// What XLA's profiler says of a launch and of a copy, as texts:
// `regs:32 static_shared:0 dynamic_shared:0 grid:1024,1,1 block:256,1,1 occ_pct:50`, and
// `kind:H2D size:4096 dest:2 async:1`.
#pragma once

#include <string_view>

#include "trace/operation_details.hpp"

namespace kr::trace {

/// Numbers that cannot be right are left out: ROCm's registers and shared memory of 2024 are not.
OperationDetail xla_detail(std::string_view kernel, std::string_view copy);

}  // namespace kr::trace
