// How much of the GPUs' peak the steps of a run use, by the costs of their ops.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cost/rates.hpp"
#include "scopes/measures.hpp"

namespace kr::cost {

/// The operations that a step launched, those of steps inside it included.
struct StepCosts {
  int64_t devices = 0;  // 0: it launched none
  int64_t total_ns = 0;
  scopes::Extent extent;
  CostSum sum;
  /// FLOPs, each at the peak of its precision, by extent and devices; none: a peak is not known.
  std::optional<double> flops_utilization;
  std::optional<double> measured_flops_utilization;  // by peaks that were measured
  /// Rows of the products with a weight that have most FLOPs: tokens with those that pad a graph;
  /// 0: there are none.
  int64_t rows = 0;
  /// Of the FLOPs that its tokens need, without padding; none: the tokens are not known, or exceed
  /// `rows`.
  std::optional<double> flops_per_token;
  std::optional<double> model_flops_utilization;
  std::optional<double> measured_model_flops_utilization;
};

/// By step: as Attribution::steps. The run has ops.
std::vector<StepCosts> costs_by_step(const match::CompiledRules& rules,
                                     const analyze::LabelledTrace& run, const CostedRun& costed);

}  // namespace kr::cost
