// What looks closer at one operation of a trace: ncu, nsys, and a replay of its op.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyze/run.hpp"
#include "cost/costed_run.hpp"
#include "tables/explanation.hpp"

namespace kr::session {

/// The op that requested an operation.
struct OperationOp {
  const trace::HostOp* op = nullptr;  // null: not known
  std::optional<match::OpCost> cost = {};
};
/// The one that a clause gives a cost, else the innermost one around its launch. The run was read
/// with its ops.
OperationOp op_of(const match::CompiledRules& rules, const analyze::LabelledTrace& run,
                  uint32_t operation);

/// In the order of their names. `op` may be null.
std::vector<tables::NextTool> next_tools(const trace::Trace& trace, uint32_t operation,
                                         const trace::HostOp* op);

}  // namespace kr::session
