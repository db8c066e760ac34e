// What tables of costs have in common.
#pragma once

#include <string>

#include "cost/rates.hpp"
#include "tables/definition.hpp"

namespace kr::tables {

/// Why there are no costs; empty: some run has ops.
std::string without_costs(const Source& source);

/// The name of an operation of a run with costs.
std::string_view kernel_name(const Run& run, uint32_t operation);

/// Costs by label of one dimension: an op counts for the label of its longest operation.
struct LabelCosts {
  std::string dimension;
  std::string label;
  cost::CostSum sum;
};
/// By dimension, then descending time.
std::vector<LabelCosts> costs_by_label(const Source& source, const Run& run);

}  // namespace kr::tables
