// What has neither FLOPs nor bytes that can be used, and why.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cost/costed_run.hpp"

namespace kr::cost {

struct Gap {
  NoCost why = NoCost::no_op;
  std::string op;          // empty: there is none
  std::string shapes;      // shapes_text; empty: none were recorded
  int64_t operations = 0;  // with a clause: calls; 0: not counted
  int64_t total_ns = 0;
};

/// One of each op, shapes and reason. By descending time. `gpu_total_ns`: of all operations.
std::vector<Gap> gaps_of(const CostedRun& costed, const trace::Trace& trace, int64_t gpu_total_ns);

/// The same by op and reason, with the shapes that take most time.
std::vector<Gap> by_op(const std::vector<Gap>& gaps);

}  // namespace kr::cost
