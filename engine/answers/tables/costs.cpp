// What framework ops cost by the rules' `cost` blocks: by op and shapes, and added up by label,
// module, layer, step and kernel.
#include "tables/costs.hpp"

#include <algorithm>
#include <cmath>

#include "analyze/run.hpp"
#include "cost/op_costs.hpp"
#include "cost/scope_costs.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using cost::CostSum;
using cost::KeyCosts;

/// The cells that both tables have.
void add_sums(Cells& row, const CostSum& sum) {
  const bool roof = sum.roof_ns() > 0;
  const auto at_roof_ns = static_cast<int64_t>(std::llround(sum.at_roof_ns()));
  // Within the tolerance, the time may be below that at the roof.
  const int64_t saved_ns = std::max(int64_t{0}, sum.roof_ns() - at_roof_ns);
  row.insert(row.end(), {table::cell(sum.flops()), sum.flops() ? Cell(sum.flops_ns()) : Cell(),
                         table::cell(sum.bytes()), sum.bytes() ? Cell(sum.bytes_ns()) : Cell(),
                         table::cell(sum.flops_per_s()), table::cell(sum.bytes_per_s()),
                         table::cell(sum.intensity()), table::cell(sum.peak_ratio()),
                         table::cell_or_nothing(sum.bound()), roof ? Cell(sum.roof_ns()) : Cell(),
                         roof ? Cell(at_roof_ns) : Cell(), roof ? Cell(saved_ns) : Cell(),
                         sum.above_peak_ns() > 0 ? Cell(sum.above_peak_ns()) : Cell(),
                         table::cell(sum.above_peak_ratio())});
}

/// Of `cost_rates`: which part of the time rates are about, and why the rest has no cost.
void add_shares(Cells& row, const KeyCosts& costs) {
  using cost::NoCost;
  const auto share = [&](int64_t ns) {
    return costs.sum.total_ns() > 0 ? Cell(ratio_of(ns, costs.sum.total_ns())) : Cell();
  };
  const int64_t both_ns = costs.of(NoCost::none);
  const int64_t flops_ns = both_ns + costs.of(NoCost::no_bytes);
  const int64_t bytes_ns = both_ns + costs.of(NoCost::no_flops);
  NoCost most = NoCost::none;
  int64_t without_ns = 0;
  for (const NoCost why : {NoCost::no_op, NoCost::graph, NoCost::no_shapes, NoCost::no_clause,
                           NoCost::no_amounts, NoCost::above_peak}) {
    without_ns += costs.of(why);
    if (costs.of(why) > 0 && (most == NoCost::none || costs.of(why) > costs.of(most))) most = why;
  }
  row.insert(row.end(), {share(flops_ns), share(bytes_ns), share(costs.with_roof_ns), without_ns,
                         table::cell_or_nothing(cost::to_string(most))});
}

void add_costs(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    for (const cost::OpCosts& one :
         cost::costs_by_op(*source.rules, run.get<analyze::LabelledTrace>().trace,
                           run.get<cost::CostedRun>(), run.summary.gpu_total_ns)) {
      Cells cells{run.summary.id,
                  table::cell_or_nothing(one.op),
                  table::cell_or_nothing(one.shapes),
                  table::cell_or_nothing(one.precision),
                  one.instances > 0 ? Cell(one.instances) : Cell(),
                  one.sum.total_ns()};
      add_sums(cells, one.sum);
      cells.insert(cells.end(), {table::cell_or_nothing(one.clause),
                                 table::cell_or_nothing(cost::to_string(one.no_cost))});
      sink.row(cells);
    }
  }
}

void add_cost_rates(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    for (const cost::LevelCosts& level : cost::costs_by_level(
             *source.rules, run.get<analyze::LabelledTrace>(), run.get<cost::CostedRun>())) {
      for (const KeyCosts& one : level.keys) {
        Cells row{run.summary.id, std::string_view(level.level), table::cell_or_nothing(one.key),
                  one.sum.total_ns()};
        add_sums(row, one.sum);
        add_shares(row, one);
        sink.row(row);
      }
    }
  }
}

Column known_or_empty(const char* id, Unit unit, Role role, const char* doc) {
  return {id, unit, role, doc, true};
}

/// Those of `add_sums`.
std::vector<Column> cost_columns(std::vector<Column> first, std::vector<Column> last) {
  const std::vector<Column> sums{
      known_or_empty("flops", Unit::flop, Role::measure,
                     "Floating-point operations; nothing if none is known."),
      known_or_empty("flops_ns", Unit::ns, Role::detail,
                     "The time of the ops whose FLOPs are known: `flops_per_s` divides by it."),
      known_or_empty("bytes", Unit::bytes, Role::measure,
                     "Bytes read and written, each operand once; nothing if none is known."),
      known_or_empty("bytes_ns", Unit::ns, Role::detail,
                     "The time of the ops whose bytes are known: `bytes_per_s` divides by it."),
      known_or_empty("flops_per_s", Unit::per_second, Role::measure,
                     "FLOPs per second of `flops_ns`."),
      known_or_empty("bytes_per_s", Unit::per_second, Role::measure,
                     "Bytes per second of `bytes_ns`."),
      known_or_empty("intensity", Unit::factor, Role::detail,
                     "FLOPs per byte, of ops of which both are known."),
      known_or_empty(
          "peak_ratio", Unit::ratio, Role::measure,
          "The part of the roof at this intensity that is reached, of the ops of `roof_ns`; "
          "nothing if the GPU's peaks are not known."),
      known_or_empty("bound", Unit::text, Role::measure,
                     "What the roof is at this intensity: `compute` or `memory`."),
      known_or_empty("roof_ns", Unit::ns, Role::detail,
                     "The time of the ops of which FLOPs, bytes and their peaks are known: one of "
                     "them alone is not a roof. `peak_ratio` is of this time."),
      known_or_empty("at_roof_ns", Unit::ns, Role::detail,
                     "What `roof_ns` would be at the roof of each op: of several, the lowest."),
      known_or_empty("saved_ns", Unit::ns, Role::measure,
                     "`roof_ns` less `at_roof_ns`, at least 0."),
      known_or_empty("above_peak_ns", Unit::ns, Role::measure,
                     "The time of ops that by their cost are faster than the GPU can be: a formula "
                     "or the peak is wrong. They are in none of the columns before; nothing if "
                     "there are none."),
      known_or_empty("above_peak_ratio", Unit::ratio, Role::measure,
                     "What the rate of these would be as a part of the roof: above 1.05.")};
  first.insert(first.end(), sums.begin(), sums.end());
  first.insert(first.end(), last.begin(), last.end());
  return first;
}

/// Amounts are for programs: people compare rates.
std::vector<Column> rate_columns(std::vector<Column> first, std::vector<Column> last) {
  std::vector<Column> columns = cost_columns(std::move(first), std::move(last));
  for (Column& one : columns) {
    if (one.id == "flops" || one.id == "bytes") one.role = Role::detail;
  }
  return columns;
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

const Definition costs_table{
    {"costs", "costs of ops",
     "One row per run, op, shapes, precision and clause: what the op costs by the `cost` blocks of "
     "the rules. An op costs once, however many operations it launched; an operation belongs to "
     "the "
     "innermost op around its launch that a clause fits. Without a clause: one row per op and "
     "shapes. By descending time.",
     cost_columns(
         {{"run", Unit::text, Role::key, "The run."},
          known_or_empty("op", Unit::name, Role::key,
                         "The framework's op; nothing for operations without any."),
          known_or_empty("shapes", Unit::text, Role::key,
                         "Its arguments: `[8, 16] bf16` is a tensor, `(1, 1)` a list of integers, "
                         "`_` one of which nothing is known; nothing if none were recorded."),
          known_or_empty(
              "precision", Unit::text, Role::key,
              "The type of its operands, or what its clause says; its peak is the roof."),
          known_or_empty(
              "instances", Unit::count, Role::measure,
              "Calls of the op that launched operations; operations, if no clause fits."),
          {"total_ns", Unit::ns, Role::measure, "The time of the operations that it launched."}},
         {known_or_empty("clause", Unit::text, Role::detail,
                         "The file and line of the clause; nothing if none fits."),
          known_or_empty(
              "no_cost", Unit::text, Role::measure,
              "Why there is no cost: `no op` encloses the launch, it ran `in a graph` whose "
              "capture is not certain, `no shapes` were recorded, `no clause fits`, the "
              "clause has `no amounts` because it needs what is not recorded, or the op would be "
              "`above the peak`; nothing if there is one.")}),
     false, false},
    needs<cost::CostedRun, analyze::LabelledTrace, cost::Roofs>,
    add_costs,
    without_costs};

const Definition cost_rates_table{
    {"cost_rates", "achieved rates by declared cost",
     "One row per run, scope and key: the costs of its ops added up, per second, and against the "
     "roof. What an op costs counts for the label, step, module, layer and name of its longest "
     "operation. The rows of a scope add up to the time of all operations.",
     rate_columns(
         {{"run", Unit::text, Role::key, "The run."},
          {"scope", Unit::text, Role::key,
           "`run`, a dimension of the rules, `step`, `module`, `layer` or `kernel`."},
          known_or_empty("key", Unit::name, Role::key,
                         "The label, the text of the step, the module, the number of the layer, or "
                         "the name of the kernel; nothing of operations that are in none."),
          {"total_ns", Unit::ns, Role::measure, "The time of all its operations."}},
         {known_or_empty("flops_share", Unit::ratio, Role::measure,
                         "The part of `total_ns` whose FLOPs are known."),
          known_or_empty("bytes_share", Unit::ratio, Role::measure,
                         "The part of `total_ns` whose bytes are known."),
          known_or_empty("roof_share", Unit::ratio, Role::measure,
                         "The part of `total_ns` that `peak_ratio` is about."),
          {"no_cost_ns", Unit::ns, Role::detail,
           "The time of operations without FLOPs and bytes, or above the peak."},
          known_or_empty("no_cost", Unit::text, Role::measure,
                         "Why most of these have none, as in `costs`.")}),
     false, false},
    needs<cost::CostedRun, analyze::LabelledTrace, cost::Roofs>,
    add_cost_rates,
    without_costs};

}  // namespace kr::tables
