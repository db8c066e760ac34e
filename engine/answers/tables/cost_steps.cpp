// How much of the GPUs' peak the steps of a run use.
#include <algorithm>
#include <map>
#include <set>

#include "analyze/run.hpp"
#include "cost/costed_run.hpp"
#include "ncu/gpus.hpp"
#include "tables/costs.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using classify::Attribution;

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

struct StepCost {
  int64_t total_ns = 0;
  int64_t start_ns = INT64_MAX;
  int64_t end_ns = INT64_MIN;
  std::set<int32_t> devices;
  cost::CostSum sum;
  double seconds = 0;    // of all FLOPs at their peaks
  bool no_peak = false;  // of some FLOPs
  /// By rows of products (0: others) their FLOPs, and seconds at the peak.
  std::map<int64_t, std::pair<double, double>> products;

  void add(const trace::Operation& one, int32_t device) {
    total_ns += one.duration_ns;
    start_ns = std::min(start_ns, one.start_ns);
    end_ns = std::max(end_ns, one.start_ns + one.duration_ns);
    devices.insert(device);
  }
  /// Those of the products with most FLOPs; 0: there are none.
  int64_t rows() const {
    int64_t most = 0;
    for (const auto& [rows, one] : products) {
      if (rows > 0 && (most == 0 || one.first > products.at(most).first)) most = rows;
    }
    return most;
  }
};

std::vector<StepCost> cost_of_steps(const Run& run, const Attribution& places) {
  const trace::Trace& trace = run.trace->trace;
  std::vector<StepCost> steps(places.steps.size());
  const auto each = [&](uint32_t operation, const auto& visit) {
    for (uint32_t at = places.step_of[operation]; at != Attribution::none;
         at = places.steps[at].outer) {
      visit(steps[at]);
    }
  };
  for (uint32_t i = 0; i < trace.operations.size(); ++i) {
    const trace::Operation& one = trace.operations[i];
    each(i, [&](StepCost& step) { step.add(one, trace.track(one.track).device); });
  }
  for (const cost::CostedCall& call : run.costs->calls) {
    const match::OpCost& of = run.costs->cost(call);
    const std::string_view kernel = kernel_name(run, call.longest);
    const auto seconds = cost::seconds_at_peak(of, run.costs->gpu, kernel);
    const int64_t rows =
        product_rows(trace.host->ops->ops[run.costs->ops[call.costed].op].arguments);
    each(call.longest, [&](StepCost& step) {
      step.sum.add(*run.costs, call, kernel);
      if (!of.flops || call.above_peak) return;
      auto& [flops, at_peak] = step.products[rows];
      flops += static_cast<double>(*of.flops);
      at_peak += seconds.value_or(0);
      step.seconds += seconds.value_or(0);
      step.no_peak = step.no_peak || (!seconds && *of.flops > 0);
    });
  }
  return steps;
}

void add_step(const Run& run, int64_t id, const classify::TraceStep& step, const StepCost& of,
              RowSink& sink) {
  const int64_t span_ns = of.end_ns - of.start_ns;
  const double wall_s = static_cast<double>(span_ns) * static_cast<double>(of.devices.size()) / 1e9;
  const bool peak = of.sum.flops() && !of.no_peak && of.seconds > 0 && wall_s > 0;
  const int64_t rows = of.rows();
  const auto& tokens = step.phase.tokens;
  const bool model = of.sum.flops() && tokens && *tokens > 0 && rows >= *tokens;
  double flops = 0;
  double seconds = 0;
  for (const auto& [of_rows, product] : of.products) {
    const double part =
        model && of_rows == rows ? static_cast<double>(*tokens) / static_cast<double>(rows) : 1;
    flops += product.first * part;
    seconds += product.second * part;
  }
  sink.row({run.summary.id, id,
            step.outer == Attribution::none ? Cell() : Cell(int64_t{step.outer}),
            table::cell_or_nothing(step.phase.label), step.text, table::cell(tokens), of.total_ns,
            span_ns, static_cast<int64_t>(of.devices.size()), table::cell(of.sum.flops()),
            of.total_ns > 0 ? Cell(ratio_of(of.sum.flops_ns(), of.total_ns)) : Cell(),
            peak ? Cell(of.seconds / wall_s) : Cell(), rows > 0 ? Cell(rows) : Cell(),
            model ? Cell(flops / static_cast<double>(*tokens)) : Cell(),
            model && peak ? Cell(seconds / wall_s) : Cell()});
}

void add_cost_steps(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    if (!run.trace->trace.host || !run.trace->trace.host->ops) continue;
    const Attribution& places = run.trace->attribution(*source.rules);
    const std::vector<StepCost> steps = cost_of_steps(run, places);
    for (size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].devices.empty()) continue;
      add_step(run, static_cast<int64_t>(i), places.steps[i], steps[i], sink);
    }
  }
}

}  // namespace

const Definition cost_steps_table{
    {"cost_steps",
     "steps by FLOPs",
     "One row per run and step with operations: how much of the GPUs' peak it uses, by the costs "
     "of its ops. See docs/cost.md for the formulas.",
     {
         {"run", Unit::text, Role::key, "The run."},
         {"id", Unit::id, Role::key, "The step, from 0 in order of the annotations."},
         {"outer", Unit::id, Role::detail, "The enclosing step, if there is one.", true},
         {"phase", Unit::text, Role::measure, "The phase of the step, if a rule names it.", true},
         {"text", Unit::name, Role::measure, "The annotation."},
         {"tokens", Unit::count, Role::measure, "Its tokens, if the annotation tells them.", true},
         {"total_ns", Unit::ns, Role::measure, "The time of its operations."},
         {"span_ns", Unit::ns, Role::measure,
          "From the begin of its first operation to the end of its last one."},
         {"devices", Unit::count, Role::detail, "GPUs of the run that it uses."},
         {"flops", Unit::flop, Role::measure, "FLOPs of its ops; nothing if none are known.", true},
         {"flops_share", Unit::ratio, Role::measure,
          "The part of its time whose ops have known FLOPs, not above the peak. FLOPs of others "
          "are missing in all that follows, which is then too low.",
          true},
         {"flops_utilization", Unit::ratio, Role::measure,
          "FLOPs, each at the peak of its precision, by span and devices: what the GPUs computed. "
          "Nothing if a peak is not known.",
          true},
         {"rows", Unit::count, Role::detail,
          "Rows of the products with a weight that have most FLOPs: tokens with those that pad a "
          "graph. Nothing if there are none.",
          true},
         {"flops_per_token", Unit::factor, Role::measure,
          "FLOPs that its tokens need, without padding, per token. Nothing if the tokens are not "
          "known, or exceed `rows`.",
          true},
         {"model_flops_utilization", Unit::ratio, Role::measure,
          "As `flops_utilization`, of the FLOPs that its tokens need. Nothing if these or a peak "
          "are not known.",
          true},
     },
     false,
     false},
    Needs::costs,
    add_cost_steps,
    without_costs,
    Reads{.peaks = true}};

}  // namespace kr::tables
