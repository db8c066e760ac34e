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

/// How long FLOPs take at the peaks of their precisions.
struct AtPeaks {
  double seconds = 0;
  bool no_peak = false;  // of some FLOPs

  void add(const AtPeaks& more, double part = 1) {
    seconds += more.seconds * part;
    no_peak = no_peak || more.no_peak;
  }
  std::optional<double> utilization(double wall_s) const {
    if (no_peak || seconds <= 0 || wall_s <= 0) return std::nullopt;
    return seconds / wall_s;
  }
};

struct Product {
  double flops = 0;
  AtPeaks published, measured;

  void add(const Product& more, double part = 1) {
    flops += more.flops * part;
    published.add(more.published, part);
    measured.add(more.measured, part);
  }
};

/// The products of a step.
struct Products {
  Product all;
  std::map<int64_t, Product> by_rows;  // 0: others

  void add(int64_t rows, const Product& one) {
    all.add(one);
    by_rows[rows].add(one);
  }
  /// Those of the products with most FLOPs; 0: there are none.
  int64_t rows() const {
    int64_t most = 0;
    for (const auto& [rows, one] : by_rows) {
      if (rows > 0 && (most == 0 || one.flops > by_rows.at(most).flops)) most = rows;
    }
    return most;
  }
};

Product product_of(const match::OpCost& cost, const CostedRun& costed, std::string_view kernel) {
  const auto at_peaks = [&](const ncu::GpuPeaks* gpu) {
    const std::optional<double> seconds = seconds_at_peak(cost, gpu, kernel);
    return AtPeaks{seconds.value_or(0), !seconds && *cost.flops > 0};
  };
  return {static_cast<double>(*cost.flops), at_peaks(costed.gpu),
          at_peaks(costed.measured_peaks.get())};
}

void finish(StepCosts& step, const Products& products, const std::optional<int64_t>& tokens) {
  const double wall_s = static_cast<double>(step.extent.end_ns - step.extent.start_ns) *
                        static_cast<double>(step.devices) / 1e9;
  step.rows = products.rows();
  if (!step.sum.flops()) return;
  step.flops_utilization = products.all.published.utilization(wall_s);
  step.measured_flops_utilization = products.all.measured.utilization(wall_s);
  if (!tokens || *tokens <= 0 || step.rows < *tokens) return;
  Product needed;
  for (const auto& [rows, product] : products.by_rows) {
    const double part =
        rows == step.rows ? static_cast<double>(*tokens) / static_cast<double>(rows) : 1;
    needed.add(product, part);
  }
  step.flops_per_token = needed.flops / static_cast<double>(*tokens);
  step.model_flops_utilization = needed.published.utilization(wall_s);
  step.measured_model_flops_utilization = needed.measured.utilization(wall_s);
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
    const int64_t rows = product_rows(trace.host->ops->ops[costed.ops[call.costed].op].arguments);
    for (const uint32_t step : scope.keys(call.longest)) {
      steps[step].sum.add(costed, call, kernel);
      if (of.flops && !call.above_peak) products[step].add(rows, product_of(of, costed, kernel));
    }
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].devices > 0) finish(steps[i], products[i], places.steps[i].phase.tokens);
  }
  return steps;
}

}  // namespace kr::cost
