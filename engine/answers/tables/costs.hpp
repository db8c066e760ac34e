// What tables of costs have in common.
#pragma once

#include <array>
#include <string>

#include "cost/rates.hpp"
#include "tables/definition.hpp"

namespace kr::tables {

/// Why there are no costs; empty: some run has ops.
std::string without_costs(const Source& source);

/// The name of an operation of a run with costs.
std::string_view kernel_name(const Run& run, uint32_t operation);

/// What operations with one key of a level cost.
struct KeyCosts {
  cost::CostSum sum;  // of calls whose longest operation has the key
  /// Time of operations with the key, by cost::NoCost; and of those whose op has a roof.
  std::array<int64_t, cost::no_cost_reasons> ns{};
  int64_t with_roof_ns = 0;

  int64_t of(cost::NoCost why) const { return ns[static_cast<size_t>(why)]; }
};

/// Costs by label of one dimension.
struct LabelCosts {
  std::string dimension;
  std::string label;
  KeyCosts costs;
};
/// By dimension, then descending time.
std::vector<LabelCosts> costs_by_label(const Source& source, const Run& run);

}  // namespace kr::tables
