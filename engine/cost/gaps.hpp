// What has no cost, and why.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cost/costed_run.hpp"

namespace kr::cost {

/// Why kr knows no cost of an operation.
enum class NoCost : uint8_t {
  no_op,      // no op encloses the launch
  graph,      // it ran in a graph, and nothing surely tells the op and its shapes
  no_shapes,  // the arguments of the op were not recorded
  no_clause   // no clause fits the op and its arguments
};
/// As in tables.
std::string_view to_string(NoCost why) noexcept;

struct Gap {
  NoCost why = NoCost::no_op;
  std::string op;          // empty: there is none
  std::string shapes;      // shapes_text; empty: none were recorded
  int64_t operations = 0;  // 0: not counted
  int64_t total_ns = 0;
};

/// One of each op, shapes and reason. By descending time. `gpu_total_ns`: of all operations.
std::vector<Gap> gaps_of(const CostedRun& costed, const trace::Trace& trace, int64_t gpu_total_ns);

/// The same by op and reason, with the shapes that take most time.
std::vector<Gap> by_op(const std::vector<Gap>& gaps);

}  // namespace kr::cost
