// What the ops of a run cost, by op, shapes, precision and clause.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cost/rates.hpp"

namespace kr::cost {

/// Calls of one op, or, if no clause fits, its operations. Steps of other sizes have other costs of
/// one op.
struct OpCosts {
  std::string op;         // empty: operations without any
  std::string shapes;     // shapes_text; empty: none were recorded
  std::string precision;  // of its operands, or what the clause says; may be empty
  std::string clause;     // `file:line`; empty: none fits
  NoCost no_cost = NoCost::none;
  int64_t instances = 0;  // calls, or operations; 0: not counted
  CostSum sum;
};

/// By descending time. `gpu_total_ns`: of all operations.
std::vector<OpCosts> costs_by_op(const match::CompiledRules& rules, const trace::Trace& trace,
                                 const CostedRun& costed, int64_t gpu_total_ns);

}  // namespace kr::cost
