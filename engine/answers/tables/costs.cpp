// What framework ops cost by the rules' `cost` blocks: by op and shapes, and added up by label,
// module, layer, step and kernel.
#include "tables/costs.hpp"

#include <algorithm>
#include <cmath>

#include "analyze/run.hpp"
#include "cost/op_costs.hpp"
#include "cost/scope_costs.hpp"
#include "tables/columns.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using cost::CostSum;
using cost::KeyCosts;

using cost::LevelCosts;
using cost::NoCost;
using cost::OpCosts;

int64_t at_roof_ns(const CostSum& sum) {
  return std::llround(sum.at_roof_ns());
}

/// `amounts`: of the sums of FLOPs and bytes.
template <class Row>
Columns<Row> cost_columns(Role amounts) {
  return {
      {"flops", Unit::flop, amounts, "Floating-point operations; nothing if none is known.",
       &CostSum::flops, optional},
      {"flops_ns", Unit::ns, Role::detail,
       "The time of the ops whose FLOPs are known: `flops_per_s` divides by it.",
       [](const CostSum& sum) { return cell_if(sum.flops().has_value(), sum.flops_ns()); },
       optional},
      {"bytes", Unit::bytes, amounts,
       "Bytes read and written, each operand once; nothing if none is known.", &CostSum::bytes,
       optional},
      {"bytes_ns", Unit::ns, Role::detail,
       "The time of the ops whose bytes are known: `bytes_per_s` divides by it.",
       [](const CostSum& sum) { return cell_if(sum.bytes().has_value(), sum.bytes_ns()); },
       optional},
      {"flops_per_s", Unit::per_second, Role::measure, "FLOPs per second of `flops_ns`.",
       &CostSum::flops_per_s, optional},
      {"bytes_per_s", Unit::per_second, Role::measure, "Bytes per second of `bytes_ns`.",
       &CostSum::bytes_per_s, optional},
      {"intensity", Unit::factor, Role::detail, "FLOPs per byte, of ops of which both are known.",
       &CostSum::intensity, optional},
      {"peak_ratio", Unit::ratio, Role::measure,
       "The part of the roof at this intensity that is reached, of the ops of `roof_ns`; nothing "
       "if the GPU's peaks are not known.",
       &CostSum::peak_ratio, optional},
      {"measured_peak_ratio", Unit::ratio, Role::measure,
       "The same of what this GPU reached: by the peaks of `--peaks`, of the ops of "
       "`measured_roof_ns`. Above 1 the ops are faster than what was measured.",
       &CostSum::measured_peak_ratio, optional},
      {"bound", Unit::text, Role::measure,
       "What the roof is at this intensity: `compute` or `memory`.", &CostSum::bound, optional},
      {"roof_ns", Unit::ns, Role::detail,
       "The time of the ops of which FLOPs, bytes and their peaks are known: one of them alone is "
       "not a roof. `peak_ratio` is of this time.",
       [](const CostSum& sum) { return cell_if_any(sum.roof_ns()); }, optional},
      {"measured_roof_ns", Unit::ns, Role::detail,
       "The time of the ops of which FLOPs, bytes and their measured peaks (`--peaks`) are known.",
       [](const CostSum& sum) { return cell_if_any(sum.measured_roof_ns()); }, optional},
      {"at_roof_ns", Unit::ns, Role::detail,
       "What `roof_ns` would be at the roof of each op: of several, the lowest.",
       [](const CostSum& sum) { return cell_if(sum.roof_ns() > 0, at_roof_ns(sum)); }, optional},
      // Within the tolerance, the time may be below that at the roof.
      {"saved_ns", Unit::ns, Role::measure, "`roof_ns` less `at_roof_ns`, at least 0.",
       [](const CostSum& sum) {
         return cell_if(sum.roof_ns() > 0, std::max(int64_t{0}, sum.roof_ns() - at_roof_ns(sum)));
       },
       optional},
      {"above_peak_ns", Unit::ns, Role::measure,
       "The time of ops that by their cost are faster than the GPU can be: a formula or the peak "
       "is wrong. They are in none of the columns before; nothing if there are none.",
       [](const CostSum& sum) { return cell_if_any(sum.above_peak_ns()); }, optional},
      {"above_peak_ratio", Unit::ratio, Role::measure,
       "What the rate of these would be as a part of the roof: above 1.05.",
       &CostSum::above_peak_ratio, optional}};
}

using OpCostRow = Parts<Run, OpCosts, CostSum>;
void add_costs(const Source& source, Rows<OpCostRow>& rows) {
  for (const Run& run : source.runs) {
    for (const OpCosts& one :
         cost::costs_by_op(*source.rules, run.get<analyze::LabelledTrace>().trace,
                           run.get<cost::CostedRun>(), run.summary.gpu_total_ns)) {
      rows.add({run, one, one.sum});
    }
  }
}

using CostRateRow = Parts<Run, LevelCosts, KeyCosts, CostSum>;
void add_cost_rates(const Source& source, Rows<CostRateRow>& rows) {
  for (const Run& run : source.runs) {
    for (const LevelCosts& level : cost::costs_by_level(
             *source.rules, run.get<analyze::LabelledTrace>(), run.get<cost::CostedRun>())) {
      for (const KeyCosts& one : level.keys) rows.add({run, level, one, one.sum});
    }
  }
}

Cell share_of(const KeyCosts& costs, int64_t ns) {
  return ratio_or_nothing(ns, costs.sum.total_ns());
}

constexpr NoCost without_cost[] = {NoCost::no_op,     NoCost::graph,      NoCost::no_shapes,
                                   NoCost::no_clause, NoCost::no_amounts, NoCost::above_peak};

int64_t no_cost_ns(const KeyCosts& costs) {
  int64_t ns = 0;
  for (const NoCost why : without_cost) ns += costs.of(why);
  return ns;
}

NoCost main_no_cost(const KeyCosts& costs) {
  NoCost most = NoCost::none;
  for (const NoCost why : without_cost) {
    if (costs.of(why) > (most == NoCost::none ? 0 : costs.of(most))) most = why;
  }
  return most;
}

}  // namespace

std::string without_costs(const Source& source) {
  for (const Run& run : source.runs) {
    if (run.get<analyze::LabelledTrace>().trace.host &&
        run.get<analyze::LabelledTrace>().trace.host->ops)
      return {};
  }
  return "no run has ops with shapes: PyTorch's profiler records them with `record_shapes=True`, "
         "vLLM and SGLang as NVTX ranges of layers; kernels of graphs get those of a --reference";
}

const Definition costs_table = TableOf<OpCostRow>{
    {"costs",
     "costs of ops",
     "One row per run, op, shapes, precision and clause: what the op costs by the `cost` blocks of "
     "the rules. An op costs once, however many operations it launched; an operation belongs to "
     "the innermost op around its launch that a clause fits. Without a clause: one row per op and "
     "shapes. By descending time.",
     {run_column,
      {"op", Unit::name, Role::key, "The framework's op; nothing for operations without any.",
       &OpCosts::op, optional},
      {"shapes", Unit::text, Role::key,
       "Its arguments: `[8, 16] bf16` is a tensor, `(1, 1)` a list of integers, `_` one of which "
       "nothing is known; nothing if none were recorded.",
       &OpCosts::shapes, optional},
      {"precision", Unit::text, Role::key,
       "The type of its operands, or what its clause says; its peak is the roof.",
       &OpCosts::precision, optional},
      {"instances", Unit::count, Role::measure,
       "Calls of the op that launched operations; operations, if no clause fits.",
       [](const OpCosts& one) { return cell_if_any(one.instances); }, optional},
      {"total_ns", Unit::ns, Role::measure, "The time of the operations that it launched.",
       &CostSum::total_ns},
      cost_columns<OpCostRow>(Role::measure),
      {"clause", Unit::text, Role::detail, "The file and line of the clause; nothing if none fits.",
       &OpCosts::clause, optional},
      {"no_cost", Unit::text, Role::measure,
       "Why there is no cost: `no op` encloses the launch, it ran `in a graph` whose capture is "
       "not certain, `no shapes` were recorded, `no clause fits`, the clause has `no amounts` "
       "because it needs what is not recorded, or the op would be `above the peak`; nothing if "
       "there is one.",
       &OpCosts::no_cost, optional}},
     false,
     false},
    needs<cost::CostedRun, analyze::LabelledTrace, cost::Roofs>,
    add_costs,
    without_costs};

const Definition cost_rates_table = TableOf<CostRateRow>{
    {"cost_rates",
     "achieved rates by declared cost",
     "One row per run, scope and key: the costs of its ops added up, per second, and against the "
     "roof. What an op costs counts for the label, step, module, layer and name of its longest "
     "operation. The rows of a scope add up to the time of all operations.",
     {run_column,
      {"scope", Unit::text, Role::key,
       "`run`, a dimension of the rules, `step`, `module`, `layer` or `kernel`.",
       &LevelCosts::level},
      {"key", Unit::name, Role::key,
       "The label, the text of the step, the module, the number of the layer, or the name of the "
       "kernel; nothing of operations that are in none.",
       &KeyCosts::key, optional},
      {"total_ns", Unit::ns, Role::measure, "The time of all its operations.", &CostSum::total_ns},
      cost_columns<CostRateRow>(Role::detail),  // people compare rates
      {"flops_share", Unit::ratio, Role::measure, "The part of `total_ns` whose FLOPs are known.",
       [](const KeyCosts& one) {
         return share_of(one, one.of(NoCost::none) + one.of(NoCost::no_bytes));
       },
       optional},
      {"bytes_share", Unit::ratio, Role::measure, "The part of `total_ns` whose bytes are known.",
       [](const KeyCosts& one) {
         return share_of(one, one.of(NoCost::none) + one.of(NoCost::no_flops));
       },
       optional},
      {"roof_share", Unit::ratio, Role::measure,
       "The part of `total_ns` that `peak_ratio` is about.",
       [](const KeyCosts& one) { return share_of(one, one.with_roof_ns); }, optional},
      {"no_cost_ns", Unit::ns, Role::detail,
       "The time of operations without FLOPs and bytes, or above the peak.", no_cost_ns},
      {"no_cost", Unit::text, Role::measure, "Why most of these have none, as in `costs`.",
       main_no_cost, optional}},
     false,
     false},
    needs<cost::CostedRun, analyze::LabelledTrace, cost::Roofs>,
    add_cost_rates,
    without_costs};

}  // namespace kr::tables
