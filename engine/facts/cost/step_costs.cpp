#include "cost/step_costs.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "scopes/sum_by.hpp"

namespace kr::cost {
namespace {

/// Rows of the activations of a product with a weight, `[.., K]` and a matrix that has K: how many
/// tokens it computes. 0: it is no such product.
int64_t product_rows(const OpArguments& arguments) {
  const OpArgument* first = nullptr;
  for (const OpArgument& one : arguments) {
    if (one.kind != OpArgument::Kind::tensor || one.dims.size() < 2) continue;
    if (first == nullptr) {
      first = &one;
      continue;
    }
    const bool weight = one.dims.size() == 2 &&
                        (one.dims[0] == first->dims.back() || one.dims[1] == first->dims.back());
    if (!weight) return 0;
    int64_t rows = 1;
    for (size_t i = 0; i + 1 < first->dims.size(); ++i) {
      if (__builtin_mul_overflow(rows, first->dims[i], &rows)) return 0;
    }
    return rows;
  }
  return 0;
}

/// The products of a step.
struct Products {
  double seconds = 0;    // of all FLOPs at their peaks
  bool no_peak = false;  // of some FLOPs
  /// By rows of products (0: others) their FLOPs, and seconds at the peak.
  std::map<int64_t, std::pair<double, double>> by_rows;

  void add(int64_t rows, int64_t flops, std::optional<double> at_peak) {
    auto& [sum, sum_at_peak] = by_rows[rows];
    sum += static_cast<double>(flops);
    sum_at_peak += at_peak.value_or(0);
    seconds += at_peak.value_or(0);
    no_peak = no_peak || (!at_peak && flops > 0);
  }
  /// Those of the products with most FLOPs; 0: there are none.
  int64_t rows() const {
    int64_t most = 0;
    for (const auto& [rows, one] : by_rows) {
      if (rows > 0 && (most == 0 || one.first > by_rows.at(most).first)) most = rows;
    }
    return most;
  }
};

void finish(StepCosts& step, const Products& products, const std::optional<int64_t>& tokens) {
  const double wall_s = static_cast<double>(step.extent.end_ns - step.extent.start_ns) *
                        static_cast<double>(step.devices) / 1e9;
  const bool flops = step.sum.flops().has_value();
  const bool peak = flops && !products.no_peak && products.seconds > 0 && wall_s > 0;
  step.rows = products.rows();
  if (peak) step.flops_utilization = products.seconds / wall_s;
  if (!flops || !tokens || *tokens <= 0 || step.rows < *tokens) return;
  double needed = 0;
  double seconds = 0;
  for (const auto& [rows, product] : products.by_rows) {
    const double part =
        rows == step.rows ? static_cast<double>(*tokens) / static_cast<double>(rows) : 1;
    needed += product.first * part;
    seconds += product.second * part;
  }
  step.flops_per_token = needed / static_cast<double>(*tokens);
  if (peak) step.model_flops_utilization = seconds / wall_s;
}

}  // namespace

std::vector<StepCosts> costs_by_step(const match::CompiledRules& rules,
                                     const analyze::LabelledTrace& run, const CostedRun& costed) {
  struct OnDevice {
    int64_t total_ns = 0;
    scopes::Extent extent;
  };
  const trace::Trace& trace = run.trace;
  const classify::Attribution& places = run.attribution(rules);
  const scopes::Scope scope = scopes::by_step(trace, places);
  std::vector<StepCosts> steps(scope.size());
  const auto add = [&](OnDevice& sum, size_t i) {
    sum.total_ns += trace.operations[i].duration_ns;
    sum.extent.add(trace.operations[i]);
  };
  scopes::sum_by<OnDevice>(scope, scopes::by_device(trace), add)
      .each([&](uint32_t step, uint32_t, const OnDevice& one) {
        ++steps[step].devices;
        steps[step].total_ns += one.total_ns;
        steps[step].extent.add(one.extent);
      });
  std::vector<Products> products(steps.size());
  for (const CostedCall& call : costed.calls) {
    const match::OpCost& of = costed.cost(call);
    const std::string_view kernel = kernel_name(trace, call.longest);
    const auto at_peak = seconds_at_peak(of, costed.gpu, kernel);
    const int64_t rows = product_rows(trace.host->ops->ops[costed.ops[call.costed].op].arguments);
    for (const uint32_t step : scope.keys(call.longest)) {
      steps[step].sum.add(costed, call, kernel);
      if (of.flops && !call.above_peak) products[step].add(rows, *of.flops, at_peak);
    }
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].devices > 0) finish(steps[i], products[i], places.steps[i].phase.tokens);
  }
  return steps;
}

}  // namespace kr::cost
